//! Shows the local invariants of a proof as readable formulas.
//!
//! The invariant `θ_k` of a process is a diagram over its own cells, shared cells and exposed predicates of others. Its
//! *view* is all cells that these tests read. The valuations of the view are enumerated and those in `θ_k` are covered by
//! *boxes*, products of sets of values, each grown as far as possible (greedy two-level minimisation [Bra84]). The others
//! are covered too, and we show the cover with fewer boxes: as a disjunction, or as a conjunction of implications. So
//! the formulas together say all that `θ` does, and imply the invariant that is proved.
//!
//! A view with more than [`POINTS`] valuations is reduced to the cells that the process reads and writes, or to its own.
//! Then a valuation is possible, as far as the proof says, if every invariant, and `reached` of every case, has a path to
//! true on which no test has the wrong outcome. This is weaker than `θ_k`, and is said to be a part of it.
//!
//! Processes of a family with the same formula are shown once, and so are implications about all others of the family.

use std::collections::{BTreeMap, BTreeSet};

use model::instance::{Cell, Environment};
use model::proof::{Case, Local, Root, Test};
use model::show::Value;
use model::{ActionId, Expr, FamilyId, Instance, Place, ProcessId, State, Update, ground, semantics, show};

use crate::report::plain;

/// The greatest number of valuations of a view.
const POINTS: usize = 4096;

/// The greatest number of node visits for one process.
const VISITS: usize = 20_000_000;

/// The contents of a proof in readable form.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Invariants {
    /// Processes, and a formula that is always true of them.
    pub invariants: Vec<(String, String)>,
    /// Whether the formulas together are the whole invariant of the proof.
    pub whole: bool,
    /// Processes, and the predicates over their cells that are exposed to others.
    pub exposed: Vec<(String, Vec<String>)>,
}

/// The invariants and exposed predicates of a proof.
pub fn invariants(instance: &Instance, proof: &Local) -> Invariants {
    let mut exposed: Vec<Vec<String>> = vec![Vec::new(); instance.processes.len()];
    for one in &proof.exposed {
        if let Some(texts) = exposed.get_mut(one.process.0 as usize) {
            texts.push(plain::expression(&instance.system, &one.predicate));
        }
    }
    let (mut formulas, mut whole) = (Vec::new(), true);
    for process in (0..instance.processes.len() as u32).map(ProcessId) {
        let (clauses, all) = formula(instance, proof, process);
        formulas.push(conjunction(&with_others(instance, process, clauses)));
        whole &= all;
    }
    let exposed_by = grouped(instance, &exposed.iter().map(|texts| texts.join("\n")).collect::<Vec<_>>());
    let exposed = exposed_by
        .into_iter()
        .filter(|(_, text)| !text.is_empty())
        .map(|(who, text)| (who, text.lines().map(str::to_owned).collect()))
        .collect();
    Invariants { invariants: grouped(instance, &formulas), whole, exposed }
}

/// The parts of the formula of one process, and whether it is all of its invariant.
fn formula(instance: &Instance, proof: &Local, process: ProcessId) -> (Vec<String>, bool) {
    let own = |cell: &usize| instance.cells[*cell].owner == Some(process);
    let points = |view: &[usize]| view.iter().fold(1usize, |n, cell| n.saturating_mul(size(instance, *cell)));
    let root = proof.invariants.get(process.0 as usize).copied().unwrap_or(Root::TRUE);
    let mut view: Vec<usize> = support(instance, proof, root).into_iter().collect();
    let whole = points(&view) <= POINTS;
    if !whole {
        let all = (0..instance.cells.len()).filter(own).chain(touched(instance, process));
        view = all.collect::<BTreeSet<usize>>().into_iter().collect();
        if points(&view) > POINTS {
            view.retain(own);
        }
    }
    if points(&view) > POINTS || points(&view).saturating_mul(proof.diagrams.nodes.len().max(1)) > VISITS {
        return (vec!["too large to show".to_owned()], false);
    }
    view.sort_unstable_by_key(|cell| (own(cell), *cell));
    let sizes: Vec<usize> = view.iter().map(|cell| size(instance, *cell)).collect();
    let possible = |point: usize| {
        let values = coordinates(&sizes, point);
        let known: BTreeMap<usize, i64> = view
            .iter()
            .zip(values)
            .map(|(cell, value)| (*cell, instance.cells[*cell].domain.lo + value as i64))
            .collect();
        let roots: &[Root] = if whole { &[root] } else { &proof.invariants };
        let cases = if whole { &[][..] } else { &proof.cases };
        is_possible(instance, proof, roots, cases, &known)
    };
    let possible: Vec<bool> = (0..points(&view)).map(possible).collect();
    (clauses(instance, &view, &sizes, &possible), whole)
}

/// The cells that the tests of a diagram read.
fn support(instance: &Instance, proof: &Local, root: Root) -> BTreeSet<usize> {
    let (mut cells, mut seen, mut pending) = (BTreeSet::new(), BTreeSet::new(), vec![root]);
    while let Some(root) = pending.pop() {
        let Some(node) = root.node().and_then(|number| proof.diagrams.nodes.get(number)) else { continue };
        if !seen.insert(root) {
            continue;
        }
        match node.test {
            Test::Bit { cell, .. } => drop(cells.insert(cell)),
            Test::Exposed(number) => {
                let predicate = proof.exposed.get(number).map(|one| &one.predicate);
                cells.extend(predicate.map_or_else(BTreeSet::new, |one| ground::reads(instance, one)));
            }
        }
        pending.extend([node.no, node.yes]);
    }
    cells
}

/// Formulas that are together true of exactly the possible valuations of a view.
fn clauses(instance: &Instance, view: &[usize], sizes: &[usize], possible: &[bool]) -> Vec<String> {
    let yes = boxes(sizes, possible, true);
    let no = boxes(sizes, possible, false);
    let literals = |boxes: &[Block]| {
        boxes.iter().flat_map(|one| one.iter().zip(sizes)).filter(|(set, size)| set.len() < **size).count()
    };
    if literals(&yes) >= literals(&no) {
        return no.iter().map(|one| implication(instance, view, sizes, one)).collect();
    }
    let joined = |one: &Block| {
        let parts = one.iter().zip(view).zip(sizes).filter(|((set, _), size)| set.len() < **size);
        let parts: Vec<String> = parts.map(|((set, cell), _)| literal(instance, *cell, set)).collect();
        let text = parts.join(" && ");
        if yes.len() > 1 && parts.len() > 1 { format!("({text})") } else { text }
    };
    vec![yes.iter().map(joined).collect::<Vec<_>>().join(" || ")]
}

/// Clauses with those that say the same of every other process of the family said once.
fn with_others(instance: &Instance, process: ProcessId, clauses: Vec<String>) -> Vec<String> {
    let own = &instance.processes[process.0 as usize];
    let Some(index) = own.index else { return clauses };
    let family = instance.processes.iter().filter(|other| other.family == own.family);
    let all: Vec<i64> = family.filter_map(|other| other.index).collect();
    let others: BTreeSet<i64> = all.iter().copied().filter(|other| *other != index).collect();
    if others.len() < 2 {
        return clauses;
    }
    let name = index_name(instance, own.family);
    let other = if name == "j" { "k" } else { "j" };
    let general = |clause: &str| -> Option<(i64, String)> {
        let mut found = others.iter().filter(|number| clause.contains(&format!("[{number}]")));
        let (Some(number), None) = (found.next(), found.next()) else { return None };
        Some((*number, clause.replace(&format!("[{number}]"), &format!("[{other}]"))))
    };
    let mut about: BTreeMap<String, BTreeSet<i64>> = BTreeMap::new();
    for (number, text) in clauses.iter().filter_map(|clause| general(clause)) {
        about.entry(text).or_default().insert(number);
    }
    let mut kept: Vec<String> = Vec::new();
    let (least, greatest) = (all.iter().min().unwrap_or(&0), all.iter().max().unwrap_or(&0));
    for clause in clauses {
        let whole = general(&clause).map(|(_, text)| text).filter(|text| about[text] == others);
        let text = whole.map_or(clause, |text| {
            format!("forall {other} in {least}..{greatest}: {other} != {index} -> {}", enclosed(&text))
        });
        if !kept.contains(&text) {
            kept.push(text);
        }
    }
    kept
}

/// A text in parentheses, if it has operators that bind loosely.
fn enclosed(text: &str) -> String {
    let loose = [" -> ", " || ", " && ", "forall "].iter().any(|sign| text.contains(sign));
    if loose { format!("({text})") } else { text.to_owned() }
}

fn conjunction(clauses: &[String]) -> String {
    match clauses {
        [] => "true".to_owned(),
        [only] => only.clone(),
        several => several.iter().map(|clause| enclosed(clause)).collect::<Vec<_>>().join(" && "),
    }
}

/// The name of the index of a family.
fn index_name(instance: &Instance, family: FamilyId) -> &str {
    instance.system.family(family).index.as_ref().map_or("i", |binder| {
        instance.system.indices.get(binder.index.0 as usize).map_or("i", |index| index.name.as_str())
    })
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

/// Whether some state with these values may satisfy these invariants of the proof, and `reached` of these cases.
fn is_possible(
    instance: &Instance,
    proof: &Local,
    invariants: &[Root],
    cases: &[Case],
    known: &BTreeMap<usize, i64>,
) -> bool {
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
    invariants.iter().all(of) && cases.iter().all(|case| case.reached.iter().any(of))
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
    let shown = |value: usize| show::value(instance, cell, domain.lo + value as i64);
    let text = |value: usize| shown(value).to_string();
    let (holds, fails) = if size == 2 { truth(instance, cell) } else { (name.clone(), name.clone()) };
    let is = |value: usize| match shown(value) {
        Value::Bool(true) => holds.clone(),
        Value::Bool(false) => fails.clone(),
        location if instance.is_location(cell) => format!("{name}{location}"),
        other => format!("{name} == {other}"),
    };
    let isnt = |value: usize| match shown(value) {
        Value::Bool(true) => fails.clone(),
        Value::Bool(false) => holds.clone(),
        location if instance.is_location(cell) => format!("!{name}{location}"),
        other => format!("{name} != {other}"),
    };
    let (Some(first), Some(last)) = (set.first(), set.last()) else { return "false".to_owned() };
    let is_number = matches!(shown(*first), Value::Int(_));
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

/// The conditions that a cell is true and that it is false: `x` and `!x`, `e in S` and `!(e in S)`.
fn truth(instance: &Instance, cell: usize) -> (String, String) {
    let Cell { variable, owner, position, .. } = &instance.cells[cell];
    let index = owner.and_then(|owner| instance.processes[owner.0 as usize].index);
    let place = Place {
        variable: *variable,
        process: index.map(|index| Box::new(Expr::Int(index))),
        position: position.iter().map(|value| Expr::Int(*value)).collect(),
    };
    let read = Expr::Read(place);
    let shown = |expr: &Expr| plain::expression(&instance.system, expr);
    (shown(&read), shown(&Expr::Not(Box::new(read))))
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

/// Each text once, with its processes. If there are several, the index of a process in its own text becomes that of its
/// family.
fn grouped(instance: &Instance, texts: &[String]) -> Vec<(String, String)> {
    let mut groups: Vec<(usize, String, Vec<i64>, &str)> = Vec::new();
    for (process, text) in instance.processes.iter().zip(texts) {
        let family = process.family.0 as usize;
        let name = index_name(instance, process.family);
        let Some(index) = process.index else {
            groups.push((family, text.clone(), Vec::new(), text));
            continue;
        };
        let near =
            [(index, name.to_owned()), (index + 1, format!("{name}+1")), (index - 1, format!("{name}-1"))];
        let general = near.iter().fold(text.clone(), |text, (number, name)| {
            text.replace(&format!("[{number}]"), &format!("[{name}]"))
        });
        let general = general.replace(&format!(" != {index} -> "), &format!(" != {name} -> "));
        match groups
            .iter_mut()
            .find(|(of, known, indices, _)| *of == family && !indices.is_empty() && *known == general)
        {
            Some((_, _, indices, _)) => indices.push(index),
            None => groups.push((family, general, vec![index], text)),
        }
    }
    let named = |(family, text, indices, own): (usize, String, Vec<i64>, &str)| {
        let id = FamilyId(family as u32);
        let family = instance.system.family(id);
        let (Some(first), Some(last)) = (indices.first(), indices.last()) else {
            return (family.name.clone(), text);
        };
        if first == last {
            return (format!("{}[{first}]", family.name), own.to_owned());
        }
        let name = index_name(instance, id);
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
    use model::property::Kind;
    use model::{Answer, Fairness, Proof, Property, Session, Subject, Task, VariableId};

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
        assert!(said.iter().all(|(_, formula)| formula.contains('x') && formula.contains("P[")), "{said:?}");
    }

    /// What is shown of a proof, as conditions of the language.
    fn as_source(said: &Invariants) -> String {
        let one = |(who, formula): &(String, String)| match who.split_once(" = ") {
            None => format!("({formula})"),
            Some((who, ranges)) => {
                let (_, index) = who.split_once(", ").expect("an index");
                let each = ranges.split(", ").map(|range| {
                    let range =
                        if range.contains("..") { range.to_owned() } else { format!("{range}..{range}") };
                    format!("(forall {index} in {range}: {formula})")
                });
                each.collect::<Vec<_>>().join(" && ")
            }
        };
        said.invariants.iter().map(one).collect::<Vec<_>>().join(" && ")
    }

    /// Whether one condition implies another in every state there is, reachable or not, by the judge's SAT solver: the proof
    /// whose only invariant is *true* shows what is true in all states. There are no steps, so none can have a fault.
    fn implies(model: &lang::Model, theta: &Expr, claim: &Expr) -> bool {
        let mut system = (**model.system()).clone();
        system.actions.clear();
        let subject = Subject::One(Arc::new(Instance::new(Arc::new(system)).expect("an instance")));
        let kind = Kind::Invariant(Expr::Or(vec![Expr::negated(theta.clone()), claim.clone()]));
        let property = Property { kind, ..model.checks[0].task.property.clone() };
        let task = Task { subject, fairness: Fairness::none(), property };
        let proof = Local {
            exposed: Vec::new(),
            diagrams: Builder::default().finish(),
            invariants: vec![Root::TRUE],
            cases: Vec::new(),
            sure: Vec::new(),
        };
        let judged = certify::certify(&task, Answer::Holds(Proof::Local(proof.into())));
        judged.is_ok_and(|judged| judged.standing() == certify::Standing::Checked)
    }

    fn invariant_of(check: &lang::Check) -> Option<&Expr> {
        match &check.task.property.kind {
            Kind::Invariant(expr) => Some(expr),
            _ => None,
        }
    }

    /// Whether the local engine proves the invariant at this place of a source; then what is shown of the proof must imply
    /// it. Says whether all of the proof is shown, and whether the invariant says something.
    fn shown_implies(name: &str, text: &str, place: usize) -> Option<(bool, bool)> {
        let load = |text: &str| crate::load(name, text, &[], &|file: &str| Err(file.to_owned()));
        let model = load(text).model?;
        let check = model.checks.get(place)?;
        let claim = invariant_of(check)?;
        let session = Session::unlimited().with_budget(30_000_000);
        let engines = crate::all_engines();
        let local = engines.iter().find(|engine| engine.name() == "local").expect("the local engine");
        let Ok(Answer::Holds(Proof::Local(proof))) = local.check(&check.task, &session) else { return None };
        let said = invariants(model.subject.instance()?, &proof);
        // What is enabled would not be the same without steps.
        if !said.whole || claim.any(&mut |part| matches!(part, Expr::Enabled(_) | Expr::Taken(_))) {
            return Some((false, true));
        }
        let source = as_source(&said);
        let loaded = load(&format!("{text}\ninvariant theta_as_shown: {source};"));
        let both = loaded.model.unwrap_or_else(|| panic!("{name}: {source}: {:?}", loaded.diagnostics));
        let theta = both.checks.last().and_then(invariant_of).expect("an invariant");
        let claim = invariant_of(&both.checks[place]).expect("an invariant");
        let options =
            crate::Options { properties: vec!["theta_as_shown".to_owned()], ..crate::Options::default() };
        let report = crate::check(&both, &options, &crate::World::unlimited(), &mut |_, _| {});
        let outcome = &report.expect("a report").outcomes[0];
        // A proof may speak of the place behind the end of a sequence, where the language has no value.
        if outcome.is_fault() {
            return Some((false, true));
        }
        assert_eq!(outcome.verdict, crate::Verdict::Holds, "{name}: {source} is not always true");
        let about = &check.task.property.name;
        assert!(implies(&both, theta, claim), "{name}: {about} does not follow from {source}");
        Some((true, !implies(&both, &Expr::Bool(true), claim)))
    }

    /// What is shown implies what was proved.
    #[test]
    fn what_is_shown_of_a_proof_implies_the_invariant() {
        let semaphore = |processes: u32| {
            format!(
                "shared x: bool = true;
                 process P[i: 1..{processes}] {{ loop {{ idle: stay; try: request x; crit: skip; exit: release x; }} }}
                 invariant mutex: count(i in 1..{processes}: P[i]@crit) <= 1;"
            )
        };
        let peterson = "shared flag: array[1..2] of bool; shared turn: 1..2;
            process P[i: 1..2] { loop { idle: stay; announce: flag[i] = true; yield: turn = 3 - i;
                wait: await !flag[3 - i] || turn == i; crit: skip; exit: flag[i] = false; } }
            invariant mutex: !(P[1]@crit && P[2]@crit);";
        for text in [semaphore(2), semaphore(3), semaphore(4), peterson.to_owned()] {
            assert_eq!(shown_implies("test", &text, 0), Some((true, true)), "{text}");
        }
    }

    #[test]
    fn what_is_shown_of_the_proofs_of_the_examples_implies_their_invariants() {
        let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples");
        let (mut all, mut whole, mut says) = (0, 0, 0);
        for folder in ["", "protocols", "split", "pat"] {
            let mut files: Vec<_> =
                std::fs::read_dir(root.join(folder)).expect("a folder").flatten().collect();
            files.sort_by_key(std::fs::DirEntry::path);
            for path in files.iter().map(std::fs::DirEntry::path) {
                if path.extension().is_none_or(|extension| extension != "fair") {
                    continue;
                }
                let text = std::fs::read_to_string(&path).expect("an example");
                let Some(model) = crate::load("example", &text, &[], &|_| Err(String::new())).model else {
                    continue;
                };
                for place in 0..model.checks.len() {
                    if let Some((is_whole, is_news)) = shown_implies(&path.to_string_lossy(), &text, place) {
                        (all, whole, says) =
                            (all + 1, whole + u32::from(is_whole), says + u32::from(is_whole && is_news));
                    }
                }
            }
        }
        println!("{all} local proofs of invariants, {whole} shown as a whole, {says} of them say something");
        assert!(whole >= 5 && says >= 5, "{all} proofs, {whole} shown as a whole, {says} say something");
    }

    #[test]
    fn what_others_expose_is_part_of_an_invariant() {
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
            sure: Vec::new(),
        };
        let said = invariants(&instance, &proof);
        assert_eq!(said.invariants[0], ("P".to_owned(), "n <= 3 -> Q.b".to_owned()), "b is exposed");
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
