#!/usr/bin/env python3
"""Checks a listed proof of Fairly, with nothing but the file and this program.

    fairly prove --engine explicit model.fair --property name -o name.proof
    python3 tools/check_proof.py name.proof

docs/proofs.md describes the format and says why such a proof proves its claim. This program has its own semantics of
the system in the file: it computes the initial states and all steps, and checks every edge of the product with the
automaton in the file, or the labels of the CTL formula in it. It does not know whether the system is that of a model, nor
whether automaton or formula are those of the claim; `fairly verify` compares them with the model.

Exit codes: 0 checked, 1 refused, 2 bad input.
"""

import json
import sys

LEAST, GREATEST = -(2**63), 2**63 - 1


class Refused(Exception):
    """The proof does not show its claim."""


class Fault(Exception):
    """A run-time error in the system: it must not happen in a listed state."""


# Arithmetic with 64 bits.


def fits(value):
    if LEAST <= value <= GREATEST:
        return value
    raise Fault("a number leaves 64 bits")


def total(values):
    result = 0
    for value in values:
        result = fits(result + value)
    return result


def divided(a, b):
    if b == 0:
        raise Fault("division by zero")
    # Euclidean: a == b * quotient + rest with 0 <= rest < |b|.
    rest = a % abs(b)
    return fits((a - rest) // b), rest


def extreme(choose, values):
    values = list(values)
    if not values:
        raise Fault("the least or greatest of no values")
    return choose(values)


OPERATORS = {
    "-": lambda a, b: fits(a - b),
    "*": lambda a, b: fits(a * b),
    "/": lambda a, b: divided(a, b)[0],
    "%": lambda a, b: divided(a, b)[1],
    "==": lambda a, b: int(a == b),
    "!=": lambda a, b: int(a != b),
    "<": lambda a, b: int(a < b),
    "<=": lambda a, b: int(a <= b),
    ">": lambda a, b: int(a > b),
    ">=": lambda a, b: int(a >= b),
}


class Moment:
    """A state, the actions that are enabled in it, and the action of the step that leaves it (None for idle)."""

    def __init__(self, system, state):
        self.system, self.state, self.action = system, state, None

    def enabled(self, action):
        return self.system.guards[action](self) != 0


# Expressions and updates become functions of a moment.


def expression(e):
    """The function of an expression."""
    if isinstance(e, (bool, int)):
        value = int(e)
        return lambda m: value
    word, parts = e[0], e[1:]
    if word == "cell":
        cell = place(parts[0])
        if isinstance(parts[0], int):
            number = parts[0]
            return lambda m: m.state[number]
        return lambda m: m.state[cell(m)]
    if word == "taken":
        actions = frozenset(parts[0])
        return lambda m: int(m.action in actions)
    if word == "enabled":
        actions = list(parts[0])
        return lambda m: int(any(m.enabled(a) for a in actions))
    parts = [expression(part) for part in parts]
    if word == "not":
        (a,) = parts
        return lambda m: 1 - a(m)
    if word == "neg":
        (a,) = parts
        return lambda m: fits(-a(m))
    if word == "and":
        return lambda m: int(all(part(m) != 0 for part in parts))
    if word == "or":
        return lambda m: int(any(part(m) != 0 for part in parts))
    if word == "+":
        return lambda m: total(part(m) for part in parts)
    if word == "min":
        return lambda m: extreme(min, (part(m) for part in parts))
    if word == "max":
        return lambda m: extreme(max, (part(m) for part in parts))
    if word == "->":
        a, b = parts
        return lambda m: 1 if a(m) == 0 else b(m)
    if word == "if":
        c, a, b = parts
        return lambda m: b(m) if c(m) == 0 else a(m)
    operator = OPERATORS[word]
    a, b = parts
    return lambda m: operator(a(m), b(m))


def place(p):
    """The function that gives the number of a cell."""
    if isinstance(p, int):
        return lambda m: p
    indices, cells = [(lo, hi, expression(e)) for lo, hi, e in p[0]], p[1]

    def number(m):
        offset = 0
        for lo, hi, index in indices:
            value = index(m)
            if not lo <= value <= hi:
                raise Fault(f"index {value} is outside {lo}..{hi}")
            offset = offset * (hi - lo + 1) + value - lo
        return cells[offset]

    return number


def update(u, domains):
    """The function that gives the states an update leads to."""
    word, parts = u[0], u[1:]
    if word == "assign":
        pairs = [(place(p), expression(e)) for p, e in parts]

        def assign(m):
            # All places and values refer to the state before.
            writes = [(cell(m), value(m)) for cell, value in pairs]
            state = list(m.state)
            for cell, value in writes:
                lo, hi = domains[cell]
                if not lo <= value <= hi:
                    raise Fault(f"a cell would become {value}, outside {lo}..{hi}")
                state[cell] = value
            return [tuple(state)]

        return assign
    if word == "seq":
        updates = [update(part, domains) for part in parts]

        def seq(m):
            states = [m.state]
            for step in updates:
                states = [after for state in states for after in step(Moment(m.system, state))]
            return states

        return seq
    if word == "if":
        condition, yes, no = expression(parts[0]), update(parts[1], domains), update(parts[2], domains)
        return lambda m: no(m) if condition(m) == 0 else yes(m)
    if word == "either":
        branches = [(expression(c), update(b, domains)) for c, b in parts]

        def either(m):
            chosen = [branch for condition, branch in branches if condition(m) != 0]
            if not chosen:
                raise Fault("no alternative is admissible")
            return [state for branch in chosen for state in branch(m)]

        return either
    raise ValueError(f"no update: {word}")


class System:
    def __init__(self, text):
        self.domains = [(cell["lo"], cell["hi"]) for cell in text["cells"]]
        self.starts = [cell["start"] for cell in text["cells"]]
        self.names = [cell["name"] for cell in text["cells"]]
        self.actions = [action["name"] for action in text["actions"]]
        self.guards = [expression(action["guard"]) for action in text["actions"]]
        self.updates = [update(action["update"], self.domains) for action in text["actions"]]
        self.init = [part for predicate in text["init"] for part in conjuncts(predicate)]

    def steps(self, moment):
        """All steps that leave a state, as pairs of an action and a state. In a deadlock the system idles."""
        found = []
        for action, (guard, change) in enumerate(zip(self.guards, self.updates)):
            if guard(moment) != 0:
                found.extend((action, state) for state in dict.fromkeys(change(moment)))
        return found or [(None, moment.state)]

    def initial(self):
        """All initial states. A condition is tested as soon as the cells that it reads have values."""
        checks = [[] for _ in range(len(self.domains) + 1)]
        latest = 0
        for part in self.init:
            # A condition may protect the next one from a fault, so they keep their order.
            latest = max([latest] + [cell + 1 for cell in cells(part)])
            checks[latest].append(expression(part))
        rest = [0] * len(self.domains)

        def extend(state):
            known = len(state)
            moment = Moment(self, tuple(state) + tuple(rest[known:]))
            if not all(check(moment) != 0 for check in checks[known]):
                return
            if known == len(self.domains):
                yield tuple(state)
                return
            lo, hi = self.domains[known]
            start = self.starts[known]
            for value in range(lo, hi + 1) if start is None else start:
                yield from extend(state + [value])

        return extend([])

    def show(self, state):
        return ", ".join(f"{name} = {value}" for name, value in zip(self.names, state))


def conjuncts(e):
    if isinstance(e, list) and e[0] == "and":
        return [part for inner in e[1:] for part in conjuncts(inner)]
    return [e]


def cells(e):
    """The cells that an expression may read."""
    if not isinstance(e, list):
        return []
    if e[0] == "cell":
        if isinstance(e[1], int):
            return [e[1]]
        return list(e[1][1]) + [cell for _, _, index in e[1][0] for cell in cells(index)]
    return [cell for part in e[1:] for cell in cells(part)]


class Tree:
    """The blocks of an alternative, with the path from the top to each, and what the reasons need."""

    def __init__(self, text, alternative, marks, count):
        self.addresses, blocks = text["addresses"], text["blocks"]
        self.requirements = [(expression(w), expression(t)) for w, t in alternative["requirements"]]
        if len(self.addresses) != count:
            raise Refused("there is not one address for each product state")
        self.paths, self.reasons, divided_blocks = [], [], set()
        for number, (parent, reason) in enumerate(blocks):
            if parent is not None and not 0 <= parent < number:
                raise Refused("a block comes before the block that it is a part of")
            divided_blocks.add(parent)
            self.paths.append((self.paths[parent] if parent is not None else ()) + (number,))
            word, value = (reason, None) if reason == "trivial" else next(iter(reason.items()))
            if word == "accept" and not 0 <= value < marks:
                raise Refused("a mark does not exist")
            if word == "never" and not 0 <= value < len(self.requirements):
                raise Refused("a requirement does not exist")
            if word == "uncovered":
                if not alternative["global"]:
                    raise Refused("strong global fairness is not assumed")
                steps = {tuple(step) for step in value}
                value = (steps, {state for state, _, _ in steps})
            self.reasons.append((word, value))
        for address in self.addresses:
            if address is not None and (not 0 <= address < len(blocks) or address in divided_blocks):
                raise Refused("an address is not that of an innermost block")

    def check(self, source, target, marks, moment, step):
        """Checks an edge between two product states, given by their addresses."""
        for a, b in zip(self.paths[source], self.paths[target]):
            if b < a:
                return
            if b > a:
                raise Refused("a step leads to a block with a higher number")
            word, value = self.reasons[a]
            if word == "trivial":
                raise Refused(f"a step stays in block {a}, which should have none")
            if word == "accept":
                if value in marks:
                    raise Refused(f"a step in block {a} carries mark {value}")
                return
            if word == "never":
                when, then = self.requirements[value]
                if then(moment) != 0:
                    raise Refused(f"a step in block {a} meets requirement {value}")
                if when(moment) != 0:
                    return
            else:
                steps, left = value
                if step in steps:
                    raise Refused(f"a step in block {a} should be missing there")
                if step[0] in left or step[2] in left:
                    return
        raise Refused(f"a step remains in block {self.paths[source][-1]}, which is not divided any further")


class Labels:
    """The labels of a CTL formula: in which states its parts are true, and why. EG true is the label of fair states."""

    FAIR = ["EG", ["atom", True]]

    def __init__(self, proof, alternatives):
        self.proof, self.alternatives, self.known = proof, alternatives, []
        self.is_free = any(not a["requirements"] and not a["global"] for a in alternatives)
        self.requirements = [
            [(expression(when), expression(then)) for when, then in a["requirements"]] for a in alternatives
        ]

    def truth(self, formula):
        """Per state, whether a formula is true by the labels so far."""
        proof, word, parts = self.proof, formula[0], formula[1:]
        if word == "atom":
            value = expression(parts[0])
            return [value(Moment(proof.system, state)) != 0 for state in proof.states]
        for known, truth in self.known:
            if known == formula:
                return truth
        if word not in ("not", "and", "or"):
            raise Refused("a part of the formula has no label")
        parts = [self.truth(part) for part in parts]
        if word == "not":
            return [not truth for truth in parts[0]]
        join = all if word == "and" else any
        return [join(part[state] for part in parts) for state in range(len(proof.states))]

    def targets(self, state):
        return [target for _, target in self.proof.steps[state]]

    def descends(self, numbers, state):
        return any(numbers[t] is not None and numbers[t] < numbers[state] for t in self.targets(state))

    def enters(self, numbers, state):
        return any(numbers[target] is not None for target in self.targets(state))

    def check(self, label):
        formula, numbers, count = label["of"], label["numbers"], len(self.proof.states)
        word, parts = formula[0], [self.truth(part) for part in formula[1:]]
        if len(numbers) != count or word not in ("EX", "EU", "EG"):
            raise Refused("it is not a label of all states")
        if word == "EG":
            self.globally(label, parts[0])
        else:
            fair = [True] * count if self.is_free else self.truth(self.FAIR)
            goal = [a and b for a, b in zip(parts[-1], fair)]
        for state in range(count if word != "EG" else 0):
            number = numbers[state]
            if word == "EX":
                right = (number is not None) == any(goal[target] for target in self.targets(state))
            elif goal[state] or number == 0:
                right = goal[state] and number == 0
            elif number is not None:
                right = parts[0][state] and self.descends(numbers, state)
            else:
                right = not (parts[0][state] and self.enters(numbers, state))
            if not right:
                raise Refused(f"a label is wrong in the state {self.proof.show(state)}")
        self.known.append((formula, [number is not None for number in numbers]))

    def globally(self, label, a):
        numbers, count, fair = label["numbers"], len(self.proof.states), set()
        for component in label["components"]:
            fair |= self.component(component, a)
        if len(label["trees"]) != len(self.alternatives):
            raise Refused("there is not one tree for each alternative")
        trees = [Tree(tree, alternative, 0, count) for tree, alternative in zip(label["trees"], self.alternatives)]
        for tree in trees:
            for word, value in tree.reasons:
                for state, action, target in value[0] if word == "uncovered" else ():
                    if not 0 <= state < count or (action, target) not in self.proof.steps[state]:
                        raise Refused("a step of the proof does not exist")
        for state, number in enumerate(numbers):
            if number is not None:
                if not a[state] or not (state in fair if number == 0 else self.descends(numbers, state)):
                    raise Refused(f"no run is shown from the state {self.proof.show(state)}")
            elif a[state]:
                if self.enters(numbers, state):
                    raise Refused(f"a state is left out: {self.proof.show(state)}")
                moment = Moment(self.proof.system, self.proof.states[state])
                for action, target in self.proof.steps[state]:
                    moment.action = action
                    for tree in trees if a[target] else ():
                        source, to = tree.addresses[state], tree.addresses[target]
                        if source is None or to is None:
                            raise Refused("a state is in no block")
                        tree.check(source, to, (), moment, (state, action, target))

    def component(self, component, a):
        """The states of a component, in which a fair run can stay for ever."""
        requirements = self.requirements[component["alternative"]]
        is_global = self.alternatives[component["alternative"]]["global"]
        avoided = component["avoided"]
        places = {state: (down, up) for state, down, up in component["states"]}
        for which in (0, 1):
            if [state for state, pair in places.items() if pair[which] == 0] != [
                state for state, pair in places.items() if pair == (0, 0)
            ][:1]:
                raise Refused("a component has not exactly one state with the numbers 0")
        met, entered, edges = set(avoided), set(), 0
        for state, (down, up) in places.items():
            moment, left = Moment(self.proof.system, self.proof.states[state]), down == 0
            for action, target in self.proof.steps[state]:
                moment.action = action
                if target not in places or any(requirements[r][0](moment) != 0 for r in avoided):
                    if is_global:
                        raise Refused("a step leaves a component, and runs are globally fair")
                    continue
                edges += 1
                left = left or places[target][0] < down
                if up < places[target][1]:
                    entered.add(target)
                met.update(r for r, (_, then) in enumerate(requirements) if r not in met and then(moment) != 0)
            if not a[state] or not left or state < 0:
                raise Refused("a state of a component cannot be left, or a run cannot stay there")
        if not edges or len(entered) + 1 != len(places) or not met.issuperset(range(len(requirements))):
            raise Refused("a component is not connected, or does not meet a requirement")
        return set(places)


class Proof:
    def __init__(self, text):
        if text.get("format") != "fairly-listed-proof" or text.get("version") != 1:
            raise ValueError("it is not a listed proof of version 1")
        self.system = System(text["system"])
        self.states = [tuple(state) for state in text["states"]]
        self.positions = {state: number for number, state in enumerate(self.states)}
        if len(self.positions) != len(self.states):
            raise Refused("a state is listed twice")
        self.edges = 0
        self.invariant = expression(text["invariant"]) if "invariant" in text else None
        self.trees, self.steps, self.labels, self.text = [], [], None, text
        if "formula" in text:
            self.labels = Labels(self, text["alternatives"])
        elif self.invariant is None:
            automaton = text["automaton"]
            self.atoms = [expression(atom) for atom in automaton["atoms"]]
            self.initial, self.automaton = automaton["initial"], automaton["states"]
            count = len(self.states) * len(self.automaton)
            pairs = list(zip(text["trees"], text["alternatives"]))
            if len(text["trees"]) != len(text["alternatives"]):
                raise Refused("there is not one tree for each alternative")
            self.trees = [Tree(tree, alternative, automaton["marks"], count) for tree, alternative in pairs]
        # All steps that blocks speak of, by the state that they leave.
        self.missing = {}
        for tree in self.trees:
            for word, value in tree.reasons:
                for step in value[0] if word == "uncovered" else ():
                    if not 0 <= step[0] < len(self.states):
                        raise Refused("a state is not in the list")
                    self.missing.setdefault(step[0], set()).add(step)

    def check(self):
        for state in self.system.initial():
            if state not in self.positions:
                raise Refused(f"an initial state is not listed: {self.system.show(state)}")
            first = self.positions[state] * len(self.automaton) if self.trees else 0
            for tree in self.trees:
                if any(tree.addresses[first + q] is None for q in self.initial):
                    raise Refused(f"an initial product state is left out: {self.system.show(state)}")
        for position, state in enumerate(self.states):
            try:
                self.check_state(position, state)
            except (Refused, Fault) as reason:
                raise Refused(f"{reason}; in the state {self.system.show(state)}") from None
        if self.labels is not None:
            for label in self.text["labels"]:
                self.labels.check(label)
            truth = self.labels.truth(self.text["formula"])
            if not all(truth[self.positions[state]] for state in self.system.initial()):
                raise Refused("the formula is false in an initial state")

    def show(self, position):
        return self.system.show(self.states[position])

    def check_state(self, position, state):
        for value, (lo, hi) in zip(state, self.system.domains, strict=True):
            if not lo <= value <= hi:
                raise Refused(f"a cell cannot be {value}")
        moment = Moment(self.system, state)
        steps = [(action, self.positions.get(target)) for action, target in self.system.steps(moment)]
        if any(target is None for _, target in steps):
            raise Refused("a step ends in a state that is not listed")
        if self.invariant is not None:
            if self.invariant(moment) == 0:
                raise Refused("the invariant is false")
            return
        if self.labels is not None:
            self.steps.append(steps)
            for moment.action, _ in steps:
                for when, then in (pair for pairs in self.labels.requirements for pair in pairs):
                    when(moment), then(moment)
            return
        width = len(self.automaton)
        for action, target in steps:
            moment.action = action
            letter = [atom(moment) != 0 for atom in self.atoms]
            for tree in self.trees:
                for when, then in tree.requirements:
                    when(moment), then(moment)
                for q, edges in enumerate(self.automaton):
                    source = tree.addresses[position * width + q]
                    if source is None:
                        continue
                    for positive, negative, marks, to in edges:
                        if all(letter[a] for a in positive) and not any(letter[a] for a in negative):
                            self.edges += 1
                            address = tree.addresses[target * width + to]
                            if address is None:
                                raise Refused("a step leaves the set of product states")
                            tree.check(source, address, marks, moment, (position, action, target))
        if not self.missing.get(position, set()) <= {(position, action, target) for action, target in steps}:
            raise Refused("a step of the proof does not exist")


def main(path):
    try:
        with open(path, encoding="utf-8") as file:
            text = json.load(file)
        proof = Proof(text)
        proof.check()
    except (Refused, Fault) as reason:
        print(f"refused: {reason}")
        return 1
    except (OSError, ValueError, KeyError, TypeError, IndexError) as error:
        print(f"bad input: {error!r}", file=sys.stderr)
        return 2
    edges = f", {proof.edges} edges" if proof.trees else ""
    print(f"checked: {text['claim']} ({len(proof.states)} states{edges})")
    return 0


if __name__ == "__main__":
    if len(sys.argv) != 2:
        print("usage: check_proof.py FILE", file=sys.stderr)
        sys.exit(2)
    sys.setrecursionlimit(100_000)
    sys.exit(main(sys.argv[1]))
