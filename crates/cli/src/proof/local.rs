//! The file format of local proofs. Only this file knows it, and `docs/proofs.md` describes it.
//!
//! It is in the user's names: cells and processes are named, and sets are numbers of nodes. Predicates are nested
//! arrays, `["or", ["==", "P[1]@", 2], "x"]`, whose depth the JSON parser limits.
//!
//! A change that could break a reader raises [`VERSION`].

use std::collections::BTreeMap;
use std::fmt::Write;

use driver::model::proof::sure::Move;
use driver::model::proof::{
    Case, Class, Demand, Diagrams, Elimination, Exposed, Haven, Local, Node, Part, ProductSet, Root, Sure,
    Test,
};
use driver::model::{Expr, Instance, Place, ProcessId, show};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::{About, OPERATORS, lines, sign};

/// The value of `format` in every proof.
pub(super) const FORMAT: &str = "fairly-proof";

/// The version of the format.
pub(super) const VERSION: u32 = 1;

/// A document whose form has been checked.
#[derive(Debug, Deserialize)]
pub(crate) struct Document {
    format: String,
    version: u32,
    /// What it is about.
    #[serde(flatten)]
    pub(crate) about: About,
    processes: Vec<String>,
    cells: Vec<String>,
    exposed: Vec<Told>,
    nodes: Vec<Vec<u64>>,
    invariants: Vec<u32>,
    cases: Vec<CaseText>,
    /// The names of all actions, if some are referred to by their position.
    #[serde(default)]
    actions: Vec<String>,
    #[serde(default)]
    sure: Vec<SureText>,
}

#[derive(Debug, Serialize, Deserialize)]
struct SureText {
    set: u32,
    parts: Vec<u32>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    moves: Vec<MoveText>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    havens: Vec<HavenText>,
    #[serde(default)]
    inner: u32,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    eliminations: Vec<Vec<EliminationText>>,
}

/// The set, the action, the way, and whether the requirement is met.
type MoveText = (u32, usize, usize, bool);

#[derive(Debug, Serialize, Deserialize)]
struct HavenText {
    alternative: usize,
    avoided: Vec<DemandText>,
    set: u32,
    goals: Vec<(Option<DemandText>, Vec<MoveText>)>,
}

#[derive(Debug, Serialize, Deserialize)]
struct Told {
    process: String,
    predicate: Value,
    /// For people; ignored when a proof is read.
    #[serde(default)]
    text: String,
}

#[derive(Debug, Serialize, Deserialize)]
struct CaseText {
    alternative: usize,
    #[serde(default)]
    class: Option<ClassText>,
    reached: Vec<u32>,
    parts: Vec<PartText>,
}

#[derive(Debug, Serialize, Deserialize)]
struct ClassText {
    processes: Vec<String>,
    unowned: bool,
    #[serde(default)]
    mark: Option<usize>,
}

#[derive(Debug, Serialize, Deserialize)]
struct PartText {
    states: Vec<usize>,
    eliminations: Vec<EliminationText>,
}

/// Without a demand it is [`Elimination::Trimmed`], and with the action and the way of a step [`Elimination::Escaped`],
/// where no `closed` stands for all product states.
#[derive(Debug, Serialize, Deserialize)]
struct EliminationText {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    step: Option<(usize, usize)>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    demand: Option<DemandText>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    closed: Vec<u32>,
    removed: Vec<u32>,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum DemandText {
    Requirement { number: usize, values: Vec<i64> },
    Mark(usize),
    Class,
}

/// A proof as text; a message if it cannot be written.
pub(super) fn write(about: &About, instance: &Instance, proof: &Local) -> Result<String, String> {
    let mut cells: Vec<usize> = proof
        .diagrams
        .nodes
        .iter()
        .filter_map(|node| match node.test {
            Test::Bit { cell, .. } => Some(cell),
            Test::Exposed(_) => None,
        })
        .collect();
    cells.sort_unstable();
    cells.dedup();
    let node = |node: &Node| match node.test {
        Test::Bit { cell, bit } => {
            let cell = cells.binary_search(&cell).unwrap_or_default();
            json!([cell, bit, node.no.0, node.yes.0])
        }
        Test::Exposed(number) => json!([number, node.no.0, node.yes.0]),
    };
    let mut exposed = Vec::new();
    for one in &proof.exposed {
        let text = show::expression(&instance.system, &one.predicate);
        let predicate = predicate(instance, &one.predicate).ok_or_else(|| {
            format!("the predicate `{text}` cannot be written: it reads a cell that varies")
        })?;
        exposed.push(json!(Told { process: name(instance, one.process), predicate, text }));
    }
    let invariants = roots(&proof.invariants);
    let cases: Vec<Value> = proof.cases.iter().map(|case| json!(case_text(instance, case))).collect();
    let sure: Vec<Value> = proof.sure.iter().map(|sure| json!(sure_text(sure))).collect();
    let names: Vec<&str> = instance.processes.iter().map(|process| process.name.as_str()).collect();
    let cell_names: Vec<&str> = cells.iter().map(|cell| instance.cells[*cell].name.as_str()).collect();
    let mut members = vec![
        ("format", json!(FORMAT).to_string()),
        ("version", json!(VERSION).to_string()),
        ("model", json!(about.model).to_string()),
        ("settings", json!(about.settings).to_string()),
        ("property", json!(about.property).to_string()),
        ("claim", json!(about.claim).to_string()),
        ("assumed", json!(about.assumed).to_string()),
        ("fairness", json!(about.fairness).to_string()),
        ("processes", json!(names).to_string()),
        ("cells", json!(cell_names).to_string()),
        ("exposed", lines(exposed.into_iter())),
        ("nodes", lines(proof.diagrams.nodes.iter().map(node))),
        ("invariants", json!(invariants).to_string()),
        ("cases", lines(cases.into_iter())),
    ];
    if !sure.is_empty() {
        members.push(("sure", lines(sure.into_iter())));
    }
    if names_actions(proof) {
        let actions: Vec<&str> = instance.actions.iter().map(|action| action.name.as_str()).collect();
        members.push(("actions", json!(actions).to_string()));
    }
    let mut text = "{".to_owned();
    for (number, (name, value)) in members.iter().enumerate() {
        // Writing to a string does not fail.
        let _ = write!(text, "{}\n  \"{name}\": {value}", if number == 0 { "" } else { "," });
    }
    Ok(text + "\n}\n")
}

impl Document {
    /// The proof in terms of an instance; a message if the instance lacks something that the proof names.
    pub(super) fn proof(&self, instance: &Instance) -> Result<Local, String> {
        debug_assert!(self.format == FORMAT && self.version == VERSION, "`read` has looked");
        if !self.processes.iter().eq(instance.processes.iter().map(|process| &process.name)) {
            return Err("the processes of the proof are not those of the model".to_owned());
        }
        let processes: BTreeMap<&str, ProcessId> = instance
            .processes
            .iter()
            .zip(0..)
            .map(|(process, id)| (process.name.as_str(), ProcessId(id)))
            .collect();
        let cells: BTreeMap<&str, usize> =
            instance.cells.iter().zip(0..).map(|(cell, number)| (cell.name.as_str(), number)).collect();
        let names = Names { instance, processes, cells };
        let tested = self.cells.iter().map(|cell| names.cell(cell)).collect::<Result<Vec<_>, _>>()?;
        let mut exposed = Vec::new();
        for one in &self.exposed {
            let predicate = names.predicate(&one.predicate)?;
            exposed.push(Exposed { process: names.process(&one.process)?, predicate });
        }
        let mut nodes = Vec::with_capacity(self.nodes.len());
        for (number, node) in self.nodes.iter().enumerate() {
            let small = |value: u64| u32::try_from(value).unwrap_or(u32::MAX);
            nodes.push(match node[..] {
                [cell, bit, no, yes] => {
                    let cell = usize::try_from(cell).ok().and_then(|cell| tested.get(cell));
                    let cell =
                        *cell.ok_or_else(|| format!("node {number} tests a cell that is not listed"))?;
                    Node {
                        test: Test::Bit { cell, bit: small(bit) },
                        no: Root(small(no)),
                        yes: Root(small(yes)),
                    }
                }
                [one, no, yes] => {
                    let test = Test::Exposed(usize::try_from(one).unwrap_or(usize::MAX));
                    Node { test, no: Root(small(no)), yes: Root(small(yes)) }
                }
                _ => return Err(format!("node {number} must have three or four numbers")),
            });
        }
        let cases = self.cases.iter().map(|case| names.case(case)).collect::<Result<Vec<_>, _>>()?;
        let invariants = sets(&self.invariants);
        let sure = self.sure.iter().map(sure).collect();
        let local = Local { exposed, diagrams: Diagrams { nodes }, invariants, cases, sure };
        let actions = instance.actions.iter().map(|action| &action.name);
        if names_actions(&local) && !self.actions.iter().eq(actions) {
            return Err("the actions of the proof are not those of the model".to_owned());
        }
        Ok(local)
    }
}

/// The meaning of names.
struct Names<'a> {
    instance: &'a Instance,
    processes: BTreeMap<&'a str, ProcessId>,
    cells: BTreeMap<&'a str, usize>,
}

impl Names<'_> {
    fn process(&self, name: &str) -> Result<ProcessId, String> {
        self.processes.get(name).copied().ok_or_else(|| format!("the model has no process `{name}`"))
    }

    fn cell(&self, name: &str) -> Result<usize, String> {
        self.cells.get(name).copied().ok_or_else(|| format!("the model has no `{name}`"))
    }

    fn case(&self, case: &CaseText) -> Result<Case, String> {
        let class = match &case.class {
            None => None,
            Some(class) => {
                let processes =
                    class.processes.iter().map(|name| self.process(name)).collect::<Result<_, _>>()?;
                Some(Class { processes, unowned: class.unowned, mark: class.mark })
            }
        };
        let part = |part: &PartText| Part {
            states: part.states.clone(),
            eliminations: part.eliminations.iter().map(elimination).collect(),
        };
        let parts = case.parts.iter().map(part).collect();
        Ok(Case { alternative: case.alternative, class, reached: sets(&case.reached), parts })
    }

    /// The depth is limited by the JSON parser.
    fn predicate(&self, value: &Value) -> Result<Expr, String> {
        let unknown = || format!("`{value}` is not a predicate");
        let list = match value {
            Value::Bool(truth) => return Ok(Expr::Bool(*truth)),
            Value::Number(number) => return number.as_i64().map(Expr::Int).ok_or_else(unknown),
            Value::String(name) => return self.cell(name).map(|cell| read_cell(self.instance, cell)),
            Value::Array(list) => list,
            Value::Null | Value::Object(_) => return Err(unknown()),
        };
        let Some((Value::String(word), operands)) = list.split_first() else { return Err(unknown()) };
        let mut parts = operands.iter().map(|part| self.predicate(part)).collect::<Result<Vec<_>, _>>()?;
        Ok(match (word.as_str(), parts.len()) {
            ("and", _) => Expr::And(parts),
            ("or", _) => Expr::Or(parts),
            ("+", _) => Expr::Sum(parts),
            ("min", 1..) => Expr::Min(parts),
            ("max", 1..) => Expr::Max(parts),
            ("not", 1) => Expr::Not(Box::new(parts.remove(0))),
            ("neg", 1) => Expr::Neg(Box::new(parts.remove(0))),
            ("if", 3) => {
                let [condition, yes, no] = [0; 3].map(|first| Box::new(parts.remove(first)));
                Expr::If(condition, yes, no)
            }
            (sign, 2) => {
                let operator = OPERATORS.into_iter().find(|(known, _)| *known == sign).ok_or_else(unknown)?.1;
                let [a, b] = [0; 2].map(|first| parts.remove(first));
                Expr::binary(operator, a, b)
            }
            _ => return Err(unknown()),
        })
    }
}

fn sets(numbers: &[u32]) -> ProductSet {
    numbers.iter().copied().map(Root).collect()
}

fn roots(set: &[Root]) -> Vec<u32> {
    set.iter().map(|root| root.0).collect()
}

fn name(instance: &Instance, process: ProcessId) -> String {
    instance.processes.get(process.0 as usize).map_or_else(String::new, |process| process.name.clone())
}

/// Whether a proof refers to actions.
fn names_actions(proof: &Local) -> bool {
    let parts = proof.cases.iter().flat_map(|case| &case.parts);
    let mut eliminations = parts.flat_map(|part| &part.eliminations);
    !proof.sure.is_empty() || eliminations.any(|one| matches!(one, Elimination::Escaped { .. }))
}

fn elimination(text: &EliminationText) -> Elimination {
    let removed = sets(&text.removed);
    match (&text.demand, text.step) {
        (Some(of), _) => Elimination::Unmet { demand: demand(of), closed: sets(&text.closed), removed },
        (None, Some((action, way))) => {
            let everywhere = vec![Root::TRUE; removed.len()];
            let closed = if text.closed.is_empty() { everywhere } else { sets(&text.closed) };
            Elimination::Escaped { action, way, closed, removed }
        }
        (None, None) => Elimination::Trimmed { removed },
    }
}

fn elimination_text(one: &Elimination) -> EliminationText {
    let of = |removed: &ProductSet| EliminationText {
        step: None,
        demand: None,
        closed: Vec::new(),
        removed: roots(removed),
    };
    match one {
        Elimination::Trimmed { removed } => of(removed),
        Elimination::Escaped { action, way, closed, removed } => {
            let is_partial = closed.iter().any(|set| *set != Root::TRUE);
            let closed = if is_partial { roots(closed) } else { Vec::new() };
            EliminationText { step: Some((*action, *way)), closed, ..of(removed) }
        }
        Elimination::Unmet { demand, closed, removed } => {
            EliminationText { demand: Some(demand_text(demand)), closed: roots(closed), ..of(removed) }
        }
    }
}

fn demand(text: &DemandText) -> Demand {
    match text {
        DemandText::Requirement { number, values } => {
            Demand::Requirement { number: *number, values: values.clone() }
        }
        DemandText::Mark(mark) => Demand::Mark(*mark),
        DemandText::Class => Demand::Class,
    }
}

fn demand_text(demand: &Demand) -> DemandText {
    match demand {
        Demand::Requirement { number, values } => {
            DemandText::Requirement { number: *number, values: values.clone() }
        }
        Demand::Mark(mark) => DemandText::Mark(*mark),
        Demand::Class => DemandText::Class,
    }
}

fn sure(text: &SureText) -> Sure {
    let moves = |moves: &[MoveText]| -> Vec<Move> {
        let one = |(from, action, way, meets): &MoveText| Move {
            from: Root(*from),
            action: *action,
            way: *way,
            meets: *meets,
        };
        moves.iter().map(one).collect()
    };
    let haven = |text: &HavenText| Haven {
        alternative: text.alternative,
        avoided: text.avoided.iter().map(demand).collect(),
        set: Root(text.set),
        goals: text.goals.iter().map(|(of, by)| (of.as_ref().map(demand), moves(by))).collect(),
    };
    Sure {
        set: Root(text.set),
        parts: sets(&text.parts),
        moves: moves(&text.moves),
        havens: text.havens.iter().map(haven).collect(),
        inner: Root(text.inner),
        eliminations: text.eliminations.iter().map(|list| list.iter().map(elimination).collect()).collect(),
    }
}

fn sure_text(sure: &Sure) -> SureText {
    let moves = |moves: &[Move]| -> Vec<MoveText> {
        moves.iter().map(|one| (one.from.0, one.action, one.way, one.meets)).collect()
    };
    let haven = |haven: &Haven| HavenText {
        alternative: haven.alternative,
        avoided: haven.avoided.iter().map(demand_text).collect(),
        set: haven.set.0,
        goals: haven.goals.iter().map(|(of, by)| (of.as_ref().map(demand_text), moves(by))).collect(),
    };
    SureText {
        set: sure.set.0,
        parts: roots(&sure.parts),
        moves: moves(&sure.moves),
        havens: sure.havens.iter().map(haven).collect(),
        inner: sure.inner.0,
        eliminations: sure
            .eliminations
            .iter()
            .map(|list| list.iter().map(elimination_text).collect())
            .collect(),
    }
}

fn case_text(instance: &Instance, case: &Case) -> CaseText {
    let part = |part: &Part| PartText {
        states: part.states.clone(),
        eliminations: part.eliminations.iter().map(elimination_text).collect(),
    };
    let class = |class: &Class| ClassText {
        processes: class.processes.iter().map(|process| name(instance, *process)).collect(),
        unowned: class.unowned,
        mark: class.mark,
    };
    CaseText {
        alternative: case.alternative,
        class: case.class.as_ref().map(class),
        reached: roots(&case.reached),
        parts: case.parts.iter().map(part).collect(),
    }
}

/// An expression that reads a cell.
fn read_cell(instance: &Instance, cell: usize) -> Expr {
    let cell = &instance.cells[cell];
    let index = cell.owner.and_then(|owner| instance.processes[owner.0 as usize].index);
    Expr::Read(Place {
        variable: cell.variable,
        process: index.map(|index| Box::new(Expr::Int(index))),
        position: cell.position.iter().map(|value| Expr::Int(*value)).collect(),
    })
}

/// A ground predicate as nested arrays. `None` if it reads a cell that depends on the state, or is not ground.
fn predicate(instance: &Instance, expr: &Expr) -> Option<Value> {
    let list = |word: &str, parts: &[&Expr]| {
        let mut list = vec![json!(word)];
        for part in parts {
            list.push(predicate(instance, part)?);
        }
        Some(Value::Array(list))
    };
    match expr {
        Expr::Bool(truth) => Some(json!(truth)),
        Expr::Int(value) => Some(json!(value)),
        Expr::Read(place) => {
            let cell = instance.constant_cell(place)?.ok()?;
            Some(json!(instance.cells[cell].name))
        }
        Expr::Not(a) => list("not", &[a]),
        Expr::Neg(a) => list("neg", &[a]),
        Expr::And(parts) => list("and", &parts.iter().collect::<Vec<_>>()),
        Expr::Or(parts) => list("or", &parts.iter().collect::<Vec<_>>()),
        Expr::Sum(parts) => list("+", &parts.iter().collect::<Vec<_>>()),
        Expr::Min(parts) => list("min", &parts.iter().collect::<Vec<_>>()),
        Expr::Max(parts) => list("max", &parts.iter().collect::<Vec<_>>()),
        Expr::If(condition, yes, no) => list("if", &[condition, yes, no]),
        Expr::Binary(operator, a, b) => list(sign(*operator), &[a, b]),
        Expr::Parameter(_) | Expr::Index(_) | Expr::Quantified(..) | Expr::Taken(_) | Expr::Enabled(_) => {
            None
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use driver::model::Proof;
    use driver::{Engines, Model, Options, World};

    use super::*;

    fn read(text: &str) -> Result<Document, String> {
        match super::super::read(text)? {
            super::super::Document::Local(document) => Ok(document),
            super::super::Document::Listed(_) | super::super::Document::Counted(_) => {
                Err("another proof".to_owned())
            }
        }
    }

    const MUX_SEM: &str = "
        shared x: bool = true;
        process P[i: 1..2] { loop { idle: stay; try: request x; crit: skip; exit: release x; } }
        invariant mutex: !(P[1]@crit && P[2]@crit);
        property enters: G (P[1]@try -> F P[1]@crit) under weak P & compassion (P[1]@try && x, P[1]@crit);
        property busy: G ((exists i in 1..2: P[i]@try) -> F !x) under weak P;
    ";

    fn model() -> Model {
        driver::load("test", MUX_SEM, &[], &|_| Err("no files".to_owned())).model.expect("a model")
    }

    /// Every property with its proof.
    fn proofs(model: &Model) -> Vec<(About, Local)> {
        let options = Options { engines: Engines::named("local").expect("it exists"), ..Options::default() };
        let world = World { solvers: &smt::installed(), ..World::unlimited() };
        let report = driver::check(model, &options, &world, &mut |_, _| {}).expect("a report");
        let about = |outcome: &driver::Outcome| About {
            model: "test".to_owned(),
            settings: BTreeMap::new(),
            property: outcome.property.to_string(),
            claim: outcome.claim.clone(),
            assumed: "declared".to_owned(),
            fairness: outcome.fairness.clone(),
        };
        let proved = report.outcomes.iter().map(|outcome| {
            assert!(outcome.checked, "{}", outcome.property);
            let Some(Proof::Local(proof)) = outcome.proof.clone() else { panic!("a local proof") };
            (about(outcome), *proof)
        });
        proved.collect()
    }

    #[test]
    fn what_is_written_is_read_again() {
        let model = model();
        let instance = Instance::new(Arc::clone(model.system())).expect("an instance");
        for (about, proof) in proofs(&model) {
            let text = write(&about, &instance, &proof).expect("it can be written");
            let document = read(&text).expect("it can be read");
            assert_eq!(document.about, about);
            assert_eq!(document.proof(&instance), Ok(proof));
        }
    }

    #[test]
    fn predicates_of_every_form_are_read_again() {
        let model = model();
        let instance = Instance::new(Arc::clone(model.system())).expect("an instance");
        let x = || read_cell(&instance, 0);
        let mut all = vec![
            Expr::Bool(true),
            Expr::Not(Box::new(x())),
            Expr::Neg(Box::new(Expr::Int(-3))),
            Expr::And(vec![x(), x()]),
            Expr::Or(Vec::new()),
            Expr::Sum(vec![x(), Expr::Int(1)]),
            Expr::Min(vec![x()]),
            Expr::Max(vec![x(), x()]),
            Expr::If(Box::new(x()), Box::new(Expr::Int(1)), Box::new(Expr::Int(2))),
        ];
        all.extend(OPERATORS.map(|(_, operator)| Expr::binary(operator, x(), Expr::Int(2))));
        let about = proofs(&model).remove(0).0;
        let exposed = all.into_iter().map(|predicate| Exposed { process: ProcessId(1), predicate }).collect();
        let proof = Local { exposed, ..Local::default() };
        let text = write(&about, &instance, &proof).expect("it can be written");
        assert_eq!(read(&text).expect("it can be read").proof(&instance), Ok(proof));
    }

    #[test]
    fn broken_files_are_refused_with_a_sentence() {
        let model = model();
        let instance = Instance::new(Arc::clone(model.system())).expect("an instance");
        let (about, proof) = proofs(&model).remove(1);
        let text = write(&about, &instance, &proof).expect("it can be written");
        for end in (0..text.len() - 3).step_by(7) {
            assert!(read(&text[..end]).is_err(), "cut off after {end}");
        }
        let broken = |from: &str, to: &str| {
            assert!(text.contains(from), "{from}");
            let broken = text.replacen(from, to, 1);
            read(&broken).and_then(|document| document.proof(&instance)).expect_err(to)
        };
        assert!(broken("\"version\": 1", "\"version\": 2").contains("only version 1"));
        assert!(broken("\"fairly-proof\"", "\"proof\"").contains("not a proof"));
        assert!(
            broken("\"processes\": [\"P[1]\"", "\"processes\": [\"P[3]\"").contains("not those of the model")
        );
        assert!(broken("\"predicate\":[", "\"predicate\":[[\"xor\"],").contains("not a predicate"));
        assert!(broken("\"process\":\"P[", "\"process\":\"Q[").contains("no process"));
        assert!(broken("\"invariants\": [", "\"invariants\": [-1,").contains("form of a proof"));
        assert!(broken("\"nodes\": [", "\"nodes\": [[1,2],").contains("three or four numbers"));
        assert!(broken("\"nodes\": [", "\"nodes\": [[99,0,0,1],").contains("not listed"));
        let nested = format!("{}{}", "[\"not\",".repeat(5000), "]".repeat(5000));
        assert!(read(&nested).is_err());
    }
}
