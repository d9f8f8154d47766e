//! Systems built by hand, and the engine's answers about them.

use std::sync::Arc;

use certify::{Standing, certify};
use engines::{Engine, Explicit};
use model::expr::{Operator, Party, Pattern};
use model::property::{Kind, Property};
use model::system::{IndexName, Initial, Participant, Scalar, Type, Variable};
use model::{
    Action, Answer, Binder, Counterexample, Expr, Fairness, Family, FamilyId, Formula, Index, Lasso, Note,
    Place, Session, Span, System, Task, Update, VariableId,
};

/// The index of the processes of every family.
pub(crate) const I: Index = Index(0);

/// A system under construction.
#[derive(Default)]
pub(crate) struct World(pub(crate) System);

impl World {
    pub(crate) fn new() -> World {
        let index = IndexName::new("i", Scalar::Int);
        World(System { name: "world".to_owned(), indices: vec![index], ..System::default() })
    }

    /// A shared variable with the initial value 0.
    pub(crate) fn shared(&mut self, name: &str, scalar: Scalar) -> VariableId {
        self.variable(name, None, scalar)
    }

    /// A variable of each process of a family, with the initial value 0.
    pub(crate) fn local(&mut self, family: FamilyId, name: &str, scalar: Scalar) -> VariableId {
        self.variable(name, Some(family), scalar)
    }

    fn variable(&mut self, name: &str, owner: Option<FamilyId>, scalar: Scalar) -> VariableId {
        let kind = Type { dimensions: Vec::new(), scalar };
        let initial = Initial::Among(vec![Expr::Int(0)]);
        self.0.variables.push(Variable { name: name.to_owned(), owner, kind, initial });
        VariableId(self.0.variables.len() as u32 - 1)
    }

    /// A process, or a family of this many.
    pub(crate) fn process(&mut self, name: &str, count: Option<i64>) -> FamilyId {
        let index = count.map(|count| Binder { index: I, span: Span::between(1, count) });
        self.0.families.push(Family { name: name.to_owned(), index, location: None });
        FamilyId(self.0.families.len() as u32 - 1)
    }

    pub(crate) fn action(&mut self, family: FamilyId, label: &str, guard: Expr, update: Update) {
        let index = self.0.family(family).index.as_ref().map(|binder| binder.index);
        let participants = vec![Participant { family, index, only: None, label: label.to_owned() }];
        self.0.actions.push(Action { participants, parameters: Vec::new(), guard, update });
    }

    pub(crate) fn invariant(&self, predicate: Expr) -> Task {
        self.task(Fairness::none(), Kind::Invariant(predicate))
    }

    pub(crate) fn ltl(&self, formula: Formula, fairness: Fairness) -> Task {
        self.task(fairness, Kind::Ltl(formula))
    }

    pub(crate) fn task(&self, fairness: Fairness, kind: Kind) -> Task {
        let property = Property { name: "claim".into(), binders: Vec::new(), kind };
        Task::new(Arc::new(self.0.clone()), fairness, property).expect("it can be counted out")
    }
}

/// The engine's answer with the notes and the numbers. Evidence must pass the judge.
pub(crate) fn check(task: &Task) -> (Answer, Vec<Note>, Vec<(&'static str, u64)>) {
    let session = Session::unlimited();
    let answer = Explicit::default().check(task, &session).expect("taken");
    let certified = certify(task, answer.clone()).expect("the judge finds no flaw");
    if let Answer::Fails(_) = answer {
        assert_eq!(certified.standing(), Standing::Checked);
    }
    let notes = session.notes.into_inner().expect("nothing panicked");
    (answer, notes, session.statistics.into_inner().expect("nothing panicked"))
}

pub(crate) fn holds(task: &Task) -> bool {
    match check(task).0 {
        Answer::Holds(_) => true,
        Answer::Fails(_) => false,
        Answer::Unknown(reason) => panic!("{reason:?}"),
    }
}

pub(crate) fn lasso(task: &Task) -> Lasso {
    match check(task).0 {
        Answer::Fails(Counterexample::Lasso(lasso)) => lasso,
        other => panic!("{other:?} is not a lasso"),
    }
}

pub(crate) fn range(lo: i64, hi: i64) -> Scalar {
    Scalar::Range(Span::between(lo, hi))
}

pub(crate) fn place(variable: VariableId) -> Place {
    Place { variable, process: None, position: Vec::new() }
}

pub(crate) fn read(variable: VariableId) -> Expr {
    Expr::Read(place(variable))
}

/// A variable of one process.
pub(crate) fn of(variable: VariableId, process: Expr) -> Place {
    Place { variable, process: Some(Box::new(process)), position: Vec::new() }
}

pub(crate) fn is(variable: VariableId, value: i64) -> Expr {
    Expr::eq(read(variable), Expr::Int(value))
}

pub(crate) fn set(variable: VariableId, value: i64) -> Update {
    Update::Assign(vec![(place(variable), Expr::Int(value))])
}

/// `variable + 1`
pub(crate) fn incremented(variable: VariableId) -> Expr {
    Expr::Sum(vec![read(variable), Expr::Int(1)])
}

pub(crate) fn less(a: Expr, b: i64) -> Expr {
    Expr::binary(Operator::Lt, a, Expr::Int(b))
}

pub(crate) fn event(family: FamilyId, process: Option<i64>, label: Option<&str>) -> Pattern {
    let process = process.map(|index| Box::new(Expr::Int(index)));
    let party = Party { family, process, label: label.map(str::to_owned) };
    Pattern { participants: vec![party], arguments: None }
}

pub(crate) fn atom(predicate: Expr) -> Formula {
    Formula::Atom(predicate)
}

pub(crate) fn not(a: Formula) -> Formula {
    Formula::Not(Box::new(a))
}

pub(crate) fn always(a: Formula) -> Formula {
    Formula::Globally(Box::new(a))
}

pub(crate) fn eventually(a: Formula) -> Formula {
    Formula::Finally(Box::new(a))
}

pub(crate) fn implies(a: Formula, b: Formula) -> Formula {
    Formula::Implies(Box::new(a), Box::new(b))
}
