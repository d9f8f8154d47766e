//! Shows the local invariants of a proof as readable formulas.
//!
//! The *view* of a process is its own cells and the cells of others that its actions read or write. A valuation of
//! the view is possible, as far as the proof says, if every invariant, and `reached` of every case, has a path to
//! true on which no test of the view has the wrong outcome. This is an invariant, because it is weaker than what the
//! proof establishes.
//!
//! The possible valuations are enumerated and covered by *boxes*, products of sets of values, each grown as far as
//! possible (greedy two-level minimisation [Bra84]). The impossible ones are covered too, and we show the cover with
//! fewer boxes: as a disjunction, or as a conjunction of implications. Processes of a family with the same formula
//! are shown once. A view with more than [`POINTS`] valuations is reduced to the cells of the process.

use std::collections::{BTreeMap, BTreeSet};

use model::instance::Environment;
use model::proof::{Local, Root, Test};
use model::{ActionId, Expr, Instance, ProcessId, State, Update, ground, semantics, show};

/// The greatest number of valuations of a view.
const POINTS: usize = 4096;

/// The greatest number of node visits for one process.
const VISITS: usize = 20_000_000;

/// The contents of a proof in readable form.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Invariants {
    /// Processes, and a formula that is always true of them.
    pub invariants: Vec<(String, String)>,
    /// Processes, and the predicates over their cells that are exposed to others.
    pub exposed: Vec<(String, Vec<String>)>,
}

/// The invariants and exposed predicates of a proof.
pub fn invariants(instance: &Instance, proof: &Local) -> Invariants {
    let mut formulas = Vec::new();
    let mut exposed: Vec<Vec<String>> = vec![Vec::new(); instance.processes.len()];
    for one in &proof.exposed {
        if let Some(texts) = exposed.get_mut(one.process.0 as usize) {
            texts.push(show::expression(&instance.system, &one.predicate));
        }
    }
    for process in (0..instance.processes.len() as u32).map(ProcessId) {
        formulas.push(formula(instance, proof, process));
    }
    let exposed_by = grouped(instance, &exposed.iter().map(|texts| texts.join("\n")).collect::<Vec<_>>());
    let exposed = exposed_by
        .into_iter()
        .filter(|(_, text)| !text.is_empty())
        .map(|(who, text)| (who, text.lines().map(str::to_owned).collect()))
        .collect();
    Invariants { invariants: grouped(instance, &formulas), exposed }
}

/// The formula of one process.
fn formula(instance: &Instance, proof: &Local, process: ProcessId) -> String {
    let own = |cell: usize| instance.cells[cell].owner == Some(process);
    let mut view: Vec<usize> =
        (0..instance.cells.len()).filter(|cell| own(*cell)).chain(touched(instance, process)).collect();
    view.sort_unstable_by_key(|cell| (own(*cell), *cell));
    view.dedup();
    let points = |view: &[usize]| view.iter().fold(1usize, |n, cell| n.saturating_mul(size(instance, *cell)));
    if points(&view) > POINTS {
        view.retain(|cell| own(*cell));
    }
    let nodes = proof.diagrams.nodes.len().max(1);
    if view.is_empty() {
        return "true".to_owned();
    }
    if points(&view) > POINTS || points(&view).saturating_mul(nodes) > VISITS {
        return "too large to show".to_owned();
    }
    let sizes: Vec<usize> = view.iter().map(|cell| size(instance, *cell)).collect();
    let possible: Vec<bool> = (0..points(&view))
        .map(|point| {
            let values = coordinates(&sizes, point);
            let known: BTreeMap<usize, i64> = view
                .iter()
                .zip(values)
                .map(|(cell, value)| (*cell, instance.cells[*cell].domain.lo + value as i64))
                .collect();
            is_possible(instance, proof, &known)
        })
        .collect();
    let yes = boxes(&sizes, &possible, true);
    let no = boxes(&sizes, &possible, false);
    let literals = |boxes: &[Block]| {
        boxes.iter().flat_map(|one| one.iter().zip(&sizes)).filter(|(set, size)| set.len() < **size).count()
    };
    let texts = |one: &Block| -> Vec<String> {
        let parts = one.iter().zip(&view).zip(&sizes).filter(|((set, _), size)| set.len() < **size);
        parts.map(|((set, cell), _)| literal(instance, *cell, set)).collect()
    };
    if no.is_empty() {
        "true".to_owned()
    } else if literals(&yes) < literals(&no) {
        let joined = |one: &Block| {
            let parts = texts(one);
            if yes.len() > 1 && parts.len() > 1 {
                format!("({})", parts.join(" && "))
            } else {
                parts.join(" && ")
            }
        };
        yes.iter().map(joined).collect::<Vec<_>>().join(" || ")
    } else {
        let clause = |one: &Block| {
            let text = implication(instance, &view, &sizes, one);
            if no.len() > 1 && text.contains(" -> ") { format!("({text})") } else { text }
        };
        no.iter().map(clause).collect::<Vec<_>>().join(" && ")
    }
}

/// A set of values per cell of a view.
type Block = Vec<BTreeSet<usize>>;

/// The cells that the actions of a process read or write.
fn touched(instance: &Instance, process: ProcessId) -> BTreeSet<usize> {
    let mut cells = BTreeSet::new();
    for (number, action) in instance.actions.iter().enumerate() {
        if !action.participants.iter().any(|(participant, _)| *participant == process) {
            continue;
        }
        let id = ActionId(number as u32);
        cells.extend(ground::reads(instance, &ground::guard(instance, id)));
        let mut pending = vec![ground::update(instance, id)];
        while let Some(update) = pending.pop() {
            match update {
                Update::Skip | Update::Choose(..) => {}
                Update::Assign(assignments) => {
                    for (place, expr) in assignments {
                        cells.extend(ground::reads(instance, &Expr::Read(place)));
                        cells.extend(ground::reads(instance, &expr));
                    }
                }
                Update::Sequence(parts) => pending.extend(parts),
                Update::If(condition, yes, no) => {
                    cells.extend(ground::reads(instance, &condition));
                    pending.extend([*yes, *no]);
                }
                Update::Either(branches) => {
                    for (condition, branch) in branches {
                        cells.extend(ground::reads(instance, &condition));
                        pending.push(branch);
                    }
                }
            }
        }
    }
    cells
}

fn size(instance: &Instance, cell: usize) -> usize {
    let domain = instance.cells[cell].domain;
    usize::try_from(domain.hi.abs_diff(domain.lo)).unwrap_or(usize::MAX).saturating_add(1)
}

/// The coordinates of a point, the last varying fastest.
fn coordinates(sizes: &[usize], mut point: usize) -> Vec<usize> {
    let mut values = vec![0; sizes.len()];
    for (value, size) in values.iter_mut().zip(sizes).rev() {
        *value = point % size;
        point /= size;
    }
    values
}

fn point(sizes: &[usize], values: &[usize]) -> usize {
    values.iter().zip(sizes).fold(0, |point, (value, size)| point * size + value)
}

/// Whether some state with these values may satisfy every invariant of the proof.
fn is_possible(instance: &Instance, proof: &Local, known: &BTreeMap<usize, i64>) -> bool {
    let mut values: Vec<i64> = instance.cells.iter().map(|cell| cell.domain.lo).collect();
    known.iter().for_each(|(cell, value)| values[*cell] = *value);
    let state = State(values);
    let exposed: Vec<Option<bool>> = proof
        .exposed
        .iter()
        .map(|one| {
            let reads = ground::reads(instance, &one.predicate);
            let truth = || semantics::evaluate(instance, &one.predicate, &state, &mut Environment::default());
            reads.iter().all(|cell| known.contains_key(cell)).then(|| truth().is_ok_and(|value| value != 0))
        })
        .collect();
    // Children come before their nodes, so one pass computes from which nodes true can be reached.
    let mut can = vec![false, true];
    for node in &proof.diagrams.nodes {
        let outcome = match node.test {
            Test::Exposed(number) => exposed.get(number).copied().flatten(),
            Test::Bit { cell, bit } => known.get(&cell).map(|value| {
                value.abs_diff(instance.cells[cell].domain.lo).checked_shr(bit).unwrap_or(0) & 1 == 1
            }),
        };
        let of = |root: Root| can.get(root.0 as usize).copied().unwrap_or(false);
        can.push(match outcome {
            Some(true) => of(node.yes),
            Some(false) => of(node.no),
            None => of(node.yes) || of(node.no),
        });
    }
    let of = |root: &Root| can.get(root.0 as usize).copied().unwrap_or(false);
    proof.invariants.iter().all(of) && proof.cases.iter().all(|case| case.reached.iter().any(of))
}

/// Boxes that together contain exactly the points with this truth.
fn boxes(sizes: &[usize], truth: &[bool], wanted: bool) -> Vec<Block> {
    let mut found: Vec<Block> = Vec::new();
    let mut covered = vec![false; truth.len()];
    for start in 0..truth.len() {
        if truth[start] != wanted || covered[start] {
            continue;
        }
        let mut grown: Block =
            coordinates(sizes, start).into_iter().map(|value| BTreeSet::from([value])).collect();
        // The own cells come last and are grown last, so that conditions on shared cells are dropped first.
        for dimension in 0..sizes.len() {
            for value in 0..sizes[dimension] {
                let mut slab = grown.clone();
                slab[dimension] = BTreeSet::from([value]);
                if inside(sizes, &slab).into_iter().all(|point| truth[point] == wanted) {
                    grown[dimension].insert(value);
                }
            }
        }
        inside(sizes, &grown).into_iter().for_each(|point| covered[point] = true);
        found.push(grown);
    }
    // Drop a box that the others cover together.
    let mut kept = found.clone();
    for one in &found {
        let others: Vec<&Block> = kept.iter().filter(|other| *other != one).collect();
        let is_covered = |point: usize| {
            let values = coordinates(sizes, point);
            others.iter().any(|other| other.iter().zip(&values).all(|(set, value)| set.contains(value)))
        };
        if inside(sizes, one).into_iter().all(is_covered) {
            kept.retain(|other| other != one);
        }
    }
    kept
}

/// The points of a box.
fn inside(sizes: &[usize], one: &Block) -> Vec<usize> {
    let mut prefixes: Vec<Vec<usize>> = vec![Vec::new()];
    for set in one {
        prefixes = prefixes
            .into_iter()
            .flat_map(|prefix| {
                set.iter().map(move |value| prefix.iter().copied().chain([*value]).collect::<Vec<_>>())
            })
            .collect();
    }
    prefixes.iter().map(|values| point(sizes, values)).collect()
}

/// The condition that a cell has one of these values: `x`, `P[1]@try`, `n != 2`, `1 <= n && n <= 3`.
fn literal(instance: &Instance, cell: usize, set: &BTreeSet<usize>) -> String {
    let domain = instance.cells[cell].domain;
    let (name, size) = (&instance.cells[cell].name, size(instance, cell));
    let text = |value: usize| show::value(instance, cell, domain.lo + value as i64).to_string();
    let is = |value: usize| match text(value).as_str() {
        "true" => name.clone(),
        "false" => format!("!{name}"),
        member if name.ends_with('@') => format!("{name}{member}"),
        other => format!("{name} == {other}"),
    };
    let isnt = |value: usize| match text(value).as_str() {
        "true" => format!("!{name}"),
        "false" => name.clone(),
        member if name.ends_with('@') => format!("!{name}{member}"),
        other => format!("{name} != {other}"),
    };
    let (Some(first), Some(last)) = (set.first(), set.last()) else { return "false".to_owned() };
    let is_number = text(*first).parse::<i64>().is_ok();
    let rest: Vec<usize> = (0..size).filter(|value| !set.contains(value)).collect();
    if set.len() == 1 {
        is(*first)
    } else if let [value] = rest[..] {
        isnt(value)
    } else if is_number && last - first + 1 == set.len() {
        match (*first, *last + 1 == size) {
            (0, _) => format!("{name} <= {}", text(*last)),
            (_, true) => format!("{name} >= {}", text(*first)),
            _ => format!("{} <= {name} && {name} <= {}", text(*first), text(*last)),
        }
    } else if rest.len() < set.len() {
        let parts: Vec<String> = rest.into_iter().map(is).collect();
        format!("!({})", parts.join(" || "))
    } else {
        let parts: Vec<String> = set.iter().map(|value| is(*value)).collect();
        format!("({})", parts.join(" || "))
    }
}

/// The condition that no state is in a box, as an implication: if all parts but the last are true, the last is false.
fn implication(instance: &Instance, view: &[usize], sizes: &[usize], one: &Block) -> String {
    let parts: Vec<usize> = (0..view.len()).filter(|place| one[*place].len() < sizes[*place]).collect();
    let Some((last, before)) = parts.split_last() else { return "false".to_owned() };
    let rest: BTreeSet<usize> = (0..sizes[*last]).filter(|value| !one[*last].contains(value)).collect();
    let conclusion = literal(instance, view[*last], &rest);
    if before.is_empty() {
        return conclusion;
    }
    let premise: Vec<String> =
        before.iter().map(|place| literal(instance, view[*place], &one[*place])).collect();
    format!("{} -> {conclusion}", premise.join(" && "))
}

/// Each text once, with its processes. The index of a process in its own text becomes that of its family.
fn grouped(instance: &Instance, texts: &[String]) -> Vec<(String, String)> {
    let mut groups: Vec<(usize, String, Vec<i64>)> = Vec::new();
    for (process, text) in instance.processes.iter().zip(texts) {
        let family = process.family.0 as usize;
        let name = instance.system.family(process.family).index.as_ref().map(|binder| {
            instance.system.indices.get(binder.index.0 as usize).map_or("i", |index| index.name.as_str())
        });
        let (Some(name), Some(index)) = (name, process.index) else {
            groups.push((family, text.clone(), Vec::new()));
            continue;
        };
        let near =
            [(index, name.to_owned()), (index + 1, format!("{name}+1")), (index - 1, format!("{name}-1"))];
        let general = near.iter().fold(text.clone(), |text, (number, name)| {
            text.replace(&format!("[{number}]"), &format!("[{name}]"))
        });
        match groups
            .iter_mut()
            .find(|(of, known, indices)| *of == family && !indices.is_empty() && *known == general)
        {
            Some((_, _, indices)) => indices.push(index),
            None => groups.push((family, general, vec![index])),
        }
    }
    let named = |(family, text, indices): (usize, String, Vec<i64>)| {
        let family = &instance.system.families[family];
        let (Some(first), Some(last)) = (indices.first(), indices.last()) else {
            return (family.name.clone(), text);
        };
        let name = family.index.as_ref().map_or("i", |binder| {
            instance.system.indices.get(binder.index.0 as usize).map_or("i", |index| index.name.as_str())
        });
        let range = if *last - *first + 1 == indices.len() as i64 && indices.len() > 1 {
            format!("{first}..{last}")
        } else {
            indices.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
        };
        (format!("{}[{name}], {name} = {range}", family.name), text)
    };
    groups.into_iter().map(named).collect()
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use model::proof::{Builder, Exposed};
    use model::{Answer, Place, Proof, Session, VariableId};

    use super::*;

    fn instance(text: &str) -> Arc<Instance> {
        let loaded = lang::load("test", text, &[]);
        let model = loaded.model.unwrap_or_else(|| panic!("{:?}", loaded.diagnostics));
        Arc::clone(model.subject.instance().expect("an instance"))
    }

    #[test]
    fn the_proof_of_a_semaphore_says_who_may_be_inside() {
        let text = "
            shared x: bool = true;
            process P[i: 1..2] { loop { idle: stay; try: request x; crit: skip; exit: release x; } }
            invariant mutex: !(P[1]@crit && P[2]@crit);
        ";
        let loaded = lang::load("test", text, &[]);
        let task = loaded.model.expect("a model").checks[0].task.clone();
        let engines = crate::all_engines();
        let local = engines.iter().find(|engine| engine.name() == "local").expect("the local engine");
        let Ok(Answer::Holds(Proof::Local(proof))) = local.check(&task, &Session::unlimited()) else {
            panic!("a proof")
        };
        let said = invariants(&instance(text), &proof).invariants;
        assert_eq!(said, [("P[i], i = 1..2".to_owned(), "x -> (P[i]@idle || P[i]@try)".to_owned())]);
    }

    #[test]
    fn what_others_do_not_tell_is_possible() {
        let text = "
            shared n: 0..5;
            process P { loop { up: n = (n + 1) % 6; } }
            process Q { local b: bool; loop { flip: b = !b; } }
        ";
        let instance = instance(text);
        let variable =
            instance.system.variables.iter().position(|variable| variable.name == "b").expect("it is there");
        let variable = VariableId(variable as u32);
        let predicate = Expr::Read(Place { variable, process: None, position: Vec::new() });
        let mut builder = Builder::default();
        // n is at least 4, or Q's exposed predicate b is true.
        let cell = |name: &str| instance.cells.iter().position(|cell| cell.name == name).expect("a cell");
        let exposed = builder.node(Test::Exposed(0), Root::FALSE, Root::TRUE);
        let root = builder.node(Test::Bit { cell: cell("n"), bit: 2 }, exposed, Root::TRUE);
        let process = instance.cells[cell("Q.b")].owner.expect("an owner");
        let proof = Local {
            exposed: vec![Exposed { process, predicate }],
            diagrams: builder.finish(),
            invariants: vec![root, Root::TRUE],
            cases: Vec::new(),
        };
        let said = invariants(&instance, &proof);
        assert_eq!(said.invariants[0], ("P".to_owned(), "true".to_owned()), "b is Q's own");
        assert_eq!(said.exposed, [("Q".to_owned(), vec!["Q.b".to_owned()])]);
        let alone = Local { invariants: vec![Root::TRUE, exposed], ..proof };
        assert_eq!(invariants(&instance, &alone).invariants[1].1, "Q.b");
    }

    #[test]
    fn blocks_cover_exactly_what_they_should() {
        let mut random = model::splitmix::SplitMix(3);
        for _ in 0..500 {
            let sizes = [2, 3, 4];
            let truth: Vec<bool> = (0..24).map(|_| random.below(3) > 0).collect();
            for wanted in [false, true] {
                let found = boxes(&sizes, &truth, wanted);
                for (point, is) in truth.iter().enumerate() {
                    let covered = found.iter().any(|one| inside(&sizes, one).contains(&point));
                    assert_eq!(covered, *is == wanted);
                }
            }
        }
    }
}
