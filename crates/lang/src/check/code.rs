//! Lays out sequential code: the points where control can be, and the points that labels name.
//!
//! Every statement is at a *point*. A point where a step is taken, or where the process has halted, is a *location*.
//! The other points pass control on at once: a `loop` to its first statement, a `goto` to its label, a `halt` to the
//! end of the code. The first statement of a branch is at the point of its `either`. So a location may have several
//! labels, and the location of a label is found by following its point. A cycle of points that only pass control on is
//! an error.

use std::collections::{BTreeMap, BTreeSet};

use model::FamilyId;
use model::system::{EnumId, Enumeration};

use super::{Checker, Dimension, Family, flow};
use crate::diagnostic::Diagnostic;
use crate::syntax::{Block, MemberKind, Name, Span, Statement, StatementKind};

/// A point of the code of a process.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct PointId(usize);

/// The end of the code.
pub(super) const END: PointId = PointId(0);

/// The code of a process.
#[derive(Default)]
pub(super) struct Code<'a> {
    pub(super) body: Vec<Placed<'a>>,
    points: Vec<Point>,
    /// The possible moves of control between points, for reachability.
    pub(super) edges: Vec<(PointId, PointId)>,
    /// Per point: the value of the location variable there.
    locations: Vec<Option<i64>>,
}

/// A statement with its point.
pub(super) struct Placed<'a> {
    pub(super) statement: &'a Statement,
    pub(super) point: PointId,
    /// The name of its step: its label, or a name made from its line.
    pub(super) name: String,
    /// The inner blocks whose statements take steps of their own.
    pub(super) blocks: Vec<Vec<Placed<'a>>>,
}

/// A label of a process.
#[derive(Clone, Debug)]
pub(super) struct Label {
    pub(super) span: Span,
    /// The point it names; `None` if it names an action.
    pub(super) point: Option<PointId>,
    /// The number of parameters of the step it names; `None` if it names no step.
    pub(super) arity: Option<usize>,
    /// The values of each parameter, once they are known.
    pub(super) ranges: Vec<Dimension>,
}

struct Point {
    /// Where control goes at once; `None` at a location.
    forward: Option<PointId>,
    span: Span,
    /// The name of the location, if it is one.
    name: String,
}

impl Code<'_> {
    /// The value of the location variable at a point.
    pub(super) fn location(&self, point: PointId) -> Option<i64> {
        self.locations.get(point.0).copied().flatten()
    }

    /// The point to which control passes at once, if any.
    pub(super) fn forward(&self, point: PointId) -> Option<PointId> {
        self.points.get(point.0).and_then(|point| point.forward)
    }
}

/// The point where a block begins; `next` if it is empty.
pub(super) fn entry(block: &[Placed<'_>], next: PointId) -> PointId {
    block.first().map_or(next, |placed| placed.point)
}

impl<'a> Checker<'a> {
    /// Lays out the code of every process and collects its labels.
    pub(super) fn layout(&mut self) {
        for number in 0..self.families.len() {
            let id = FamilyId(number as u32);
            self.action_labels(id);
            let source = self.family(id).source;
            let mut code = Code::default();
            code.points.push(Point { forward: None, span: source.name.span, name: "end".to_owned() });
            let mut names = BTreeSet::new();
            label_names(&source.body, &mut names);
            names.extend(self.family(id).labels.keys().map(String::as_str));
            let mut lines = LineNames::new(names.into_iter().map(str::to_owned).collect());
            code.body = self.place(id, &mut code.points, &mut lines, &source.body, None);
            self.set_forwards(id, &mut code);
            self.resolve(&mut code);
            code.edges = flow::edges(self.family(id), &code.body);
            self.families[number].code = code;
        }
    }

    /// The labels of guarded commands.
    fn action_labels(&mut self, id: FamilyId) {
        for member in &self.family(id).source.members {
            if let MemberKind::Action { label, parameters, .. } = &member.kind {
                let arity = Some(parameters.len());
                self.enter_label(
                    id,
                    &label.name,
                    Label { span: label.name.span, point: None, arity, ranges: Vec::new() },
                );
            }
        }
    }

    fn enter_label(&mut self, id: FamilyId, name: &Name, label: Label) {
        let family = &self.families[id.0 as usize];
        if let Some(first) = family.labels.get(&name.text) {
            let message = format!("label `{}` is taken", name.text);
            let diagnostic = Diagnostic::error(name.span, message, "declared again");
            self.report(diagnostic.related(first.span, "first declared here"));
            return;
        }
        self.families[id.0 as usize].labels.insert(name.text.clone(), label);
    }

    /// Gives every statement of a block its point. In a branch of an `either`, the first point passes control on to `at`,
    /// the point of the `either`.
    fn place(
        &mut self,
        id: FamilyId,
        points: &mut Vec<Point>,
        lines: &mut LineNames,
        statements: &'a [Statement],
        at: Option<PointId>,
    ) -> Vec<Placed<'a>> {
        let mut placed = Vec::new();
        for (number, statement) in statements.iter().enumerate() {
            let point = PointId(points.len());
            let steps = takes_step(&statement.kind);
            let line = self.line(statement.span.start);
            let name = match &statement.label {
                Some(label) => label.name.text.clone(),
                None if steps => lines.name(line),
                None => String::new(),
            };
            let forward = if number == 0 { at } else { None };
            points.push(Point { forward, span: statement.span, name: name.clone() });
            let arity = steps.then_some(0);
            let entered = Label { span: statement.span, point: Some(point), arity, ranges: Vec::new() };
            if let Some(label) = &statement.label {
                self.enter_label(id, &label.name, Label { span: label.name.span, ..entered });
                if label.annotation.is_some() && !steps {
                    let message = format!(
                        "{} takes no step, so fairness does not apply to it",
                        describe(&statement.kind)
                    );
                    self.error(label.name.span, message, "annotated with fairness");
                }
            } else if steps {
                self.families[id.0 as usize].labels.insert(name.clone(), entered);
            }
            let inner: Vec<&'a Block> = match &statement.kind {
                StatementKind::If { yes, no, .. } => std::iter::once(yes).chain(no).collect(),
                StatementKind::While(_, body) | StatementKind::Loop(body) => vec![body],
                StatementKind::Either(branches) => branches.iter().collect(),
                _ => Vec::new(),
            };
            let mut blocks = Vec::new();
            for block in inner {
                let shared = matches!(statement.kind, StatementKind::Either(_)).then_some(point);
                if shared.is_some() {
                    self.check_branch(block);
                }
                blocks.push(self.place(id, points, lines, &block.statements, shared));
            }
            if matches!(statement.kind, StatementKind::Either(_)) && statement.label.is_none() {
                // The choice is named after a label of its branches, if there is one.
                let mut firsts = blocks.iter().filter_map(|block| block.first());
                let named =
                    firsts.clone().find(|first| first.statement.label.is_some()).or_else(|| firsts.next());
                points[point.0].name = named.map(|first| first.name.clone()).unwrap_or_default();
            }
            placed.push(Placed { statement, point, name, blocks });
        }
        placed
    }

    /// Checks that a branch of an `either` begins with a step, and with one that does not return to its own start.
    fn check_branch(&mut self, branch: &'a Block) {
        let Some(first) = branch.statements.first() else {
            self.error(
                branch.span,
                "a branch of `either` begins with a statement that takes a step",
                "an empty branch",
            );
            return;
        };
        let why = match first.kind {
            StatementKind::While(..) => "`while` comes back to where it began",
            _ if takes_step(&first.kind) => return,
            _ => "takes no step",
        };
        let message = "a branch of `either` begins with a statement that takes a step and goes on";
        self.report(Diagnostic::error(first.span, message, why).help("put `skip;` before it"));
    }

    /// Sets the target of every point that passes control on.
    fn set_forwards(&mut self, id: FamilyId, code: &mut Code<'a>) {
        let mut forwards = Vec::new();
        forwards_of(&code.body, &mut forwards);
        for (point, target) in forwards {
            let target = match target {
                Target::Point(target) => Some(target),
                Target::Label(label) => self.jump(id, label),
            };
            code.points[point.0].forward = target.or(Some(END));
        }
    }

    /// The point that a `goto` names.
    pub(super) fn jump(&mut self, id: FamilyId, label: &'a Name) -> Option<PointId> {
        let text = label.text.as_str();
        let family = self.family(id);
        match family.labels.get(text) {
            Some(Label { point: Some(point), .. }) => return Some(*point),
            None if text == "end" => return Some(END),
            None if self.unparsed_words.contains(text) => return None,
            _ => {}
        }
        let message = format!("`{}` has no label `{text}` to go to", family.source.name.text);
        let labels = family.labels.iter().filter(|(_, label)| label.point.is_some());
        let diagnostic = self.suggest(
            Diagnostic::error(label.span, message, "not a label"),
            text,
            labels.map(|(name, _)| name.as_str()),
        );
        self.report(diagnostic);
        None
    }

    /// Finds the location of every point.
    fn resolve(&mut self, code: &mut Code<'a>) {
        let mut known: Vec<Option<PointId>> = vec![None; code.points.len()];
        for start in 0..code.points.len() {
            let mut path = Vec::new();
            let mut seen = BTreeSet::new();
            let mut at = PointId(start);
            let end = loop {
                if let Some(end) = known[at.0] {
                    break end;
                }
                if !seen.insert(at) {
                    let span = code.points[at.0].span;
                    let message = "this loop takes no step";
                    self.report(
                        Diagnostic::error(span, message, "takes no step")
                            .help("put `skip;` in it, or use `halt;`"),
                    );
                    break END;
                }
                path.push(at);
                match code.points[at.0].forward {
                    None => break at,
                    Some(next) => at = next,
                }
            };
            for point in path {
                known[point.0] = Some(end);
            }
        }
        for (point, end) in code.points.iter_mut().zip(&known) {
            point.forward = point.forward.and(*end);
        }
    }

    /// The enum of a family's locations, and the value of the first.
    pub(super) fn enumerate_locations(&mut self, id: FamilyId) -> (EnumId, i64) {
        let mut code = std::mem::take(&mut self.families[id.0 as usize].code);
        let ends = code.points.iter().any(|point| point.forward == Some(END))
            || code.edges.iter().any(|(_, to)| *to == END);
        let mut members = Vec::new();
        let mut values: BTreeMap<usize, i64> = BTreeMap::new();
        // The end of the code comes last.
        let order = (1..code.points.len()).chain(ends.then_some(0));
        for number in order.filter(|number| code.points[*number].forward.is_none()) {
            values.insert(number, members.len() as i64);
            members.push(code.points[number].name.clone());
        }
        code.locations = code
            .points
            .iter()
            .enumerate()
            .map(|(number, point)| values.get(&point.forward.map_or(number, |end| end.0)).copied())
            .collect();
        let first = code.location(entry(&code.body, END)).unwrap_or(0);
        self.families[id.0 as usize].code = code;
        if ends {
            self.end_label(id);
        }
        let name = format!("{}@", self.family(id).source.name.text);
        self.system.enums.push(Enumeration { name, members });
        (EnumId(self.system.enums.len() as u32 - 1), first)
    }

    /// The end of the code is a location called `end`.
    fn end_label(&mut self, id: FamilyId) {
        let Family { source, code, labels, .. } = &mut self.families[id.0 as usize];
        let (span, ranges) = (source.name.span, Vec::new());
        let label =
            labels.entry("end".to_owned()).or_insert(Label { span, point: None, arity: None, ranges });
        match label.point {
            // An action may have the same name.
            None => label.point = Some(END),
            Some(point) if code.forward(point) == Some(END) => {}
            Some(_) => {
                let span = label.span;
                let message = "`end` is the name of the end of the code, so nothing else can have it";
                self.error(span, message, "not the end of the code");
            }
        }
    }
}

/// The line of a statement that has no label and is named after its line: 12 for `line12`.
pub fn line_of(name: &str) -> Option<usize> {
    name.strip_prefix("line")?.parse().ok()
}

/// Names for statements without a label.
pub(crate) struct LineNames {
    taken: BTreeSet<String>,
    /// How many names each line has given so far.
    given: BTreeMap<usize, usize>,
}

impl LineNames {
    /// Names other than these.
    pub(crate) fn new(taken: BTreeSet<String>) -> LineNames {
        LineNames { taken, given: BTreeMap::new() }
    }

    /// `line12`, `line12b`, `line12c`, …
    pub(crate) fn name(&mut self, line: usize) -> String {
        let given = self.given.entry(line).or_default();
        loop {
            let name = match *given {
                0 => format!("line{line}"),
                k @ 1..=25 => format!("line{line}{}", char::from(b'a' + k as u8)),
                k => format!("line{line}_{}", k + 1),
            };
            *given += 1;
            if self.taken.insert(name.clone()) {
                return name;
            }
        }
    }
}

enum Target<'a> {
    Point(PointId),
    Label(&'a Name),
}

/// Where control goes from statements that take no step.
fn forwards_of<'a>(block: &[Placed<'a>], forwards: &mut Vec<(PointId, Target<'a>)>) {
    for placed in block {
        match &placed.statement.kind {
            StatementKind::Loop(_) => {
                let first = placed.blocks.first().map_or(placed.point, |body| entry(body, placed.point));
                forwards.push((placed.point, Target::Point(first)));
            }
            StatementKind::Goto(label) => forwards.push((placed.point, Target::Label(label))),
            StatementKind::Halt
                if placed.statement.label.as_ref().is_none_or(|label| label.name.text == "end") =>
            {
                forwards.push((placed.point, Target::Point(END)));
            }
            _ => {}
        }
        for block in &placed.blocks {
            forwards_of(block, forwards);
        }
    }
}

/// All labels of the statements that take steps of their own.
pub(crate) fn label_names<'s>(statements: &'s [Statement], names: &mut BTreeSet<&'s str>) {
    for statement in statements {
        names.extend(statement.label.iter().map(|label| label.name.text.as_str()));
        match &statement.kind {
            StatementKind::If { yes, no, .. } => {
                label_names(&yes.statements, names);
                if let Some(no) = no {
                    label_names(&no.statements, names);
                }
            }
            StatementKind::While(_, body) | StatementKind::Loop(body) => label_names(&body.statements, names),
            StatementKind::Either(branches) => {
                for branch in branches {
                    label_names(&branch.statements, names);
                }
            }
            _ => {}
        }
    }
}

/// Whether a statement of sequential code takes a step itself.
pub(crate) fn takes_step(kind: &StatementKind) -> bool {
    !matches!(
        kind,
        StatementKind::Loop(_) | StatementKind::Either(_) | StatementKind::Goto(_) | StatementKind::Halt
    )
}

/// What a statement is called in messages.
pub(super) fn describe(kind: &StatementKind) -> &'static str {
    match kind {
        StatementKind::Skip => "`skip`",
        StatementKind::Stay => "`stay`",
        StatementKind::Halt => "`halt`",
        StatementKind::Assign { .. } => "an assignment",
        StatementKind::Update { .. } => "an assignment",
        StatementKind::Assert { .. } => "`assert`",
        StatementKind::Let { .. } => "`let`",
        StatementKind::Call(..) => "a macro",
        StatementKind::For(..) => "`for`",
        StatementKind::Sync(_) => "`sync`",
        StatementKind::Await(_) => "`await`",
        StatementKind::Request(_) => "`request`",
        StatementKind::Release(_) => "`release`",
        StatementKind::When(..) => "`when`",
        StatementKind::Atomic(_) => "`atomic`",
        StatementKind::Choose { .. } => "`choose`",
        StatementKind::Send { .. } => "a send",
        StatementKind::Receive { .. } => "a receive",
        StatementKind::If { .. } => "`if`",
        StatementKind::While(..) => "`while`",
        StatementKind::Loop(_) => "`loop`",
        StatementKind::Either(_) => "`either`",
        StatementKind::Goto(_) => "`goto`",
    }
}
