//! Small systems given by a list of steps, each with an equivalent model.

use std::collections::BTreeMap;
use std::sync::Arc;

use model::expr::{Operator, Party};
use model::property::Kind;
use model::system::{
    Action, EnumId, Enumeration, Family, IndexName, Initial, Participant, Scalar, System, Type, Update,
    Variable,
};
use model::{
    ActionId, Assumption, Binder, Expr, Fairness, FamilyId, Formula, Index, Label, Pattern, Place, Property,
    Requirement, Span, State, Task, VariableId,
};

use super::naive::{Alternative, Atom, Demand, Phi};

/// A system, and its steps from every state, reachable or not.
pub(crate) struct World {
    pub(crate) system: Arc<System>,
    pub(crate) initial: Vec<State>,
    pub(crate) steps: BTreeMap<State, Vec<(Label, State)>>,
    /// The place of each cell.
    pub(crate) places: Vec<Place>,
    /// The events that atoms can refer to.
    pub(crate) events: Vec<Event>,
}

/// A pattern and the actions it matches.
pub(crate) struct Event {
    pub(crate) pattern: Pattern,
    pub(crate) actions: Vec<u32>,
}

/// A source of reproducible random numbers (splitmix64).
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn below(&mut self, limit: usize) -> usize {
        (model::splitmix::next(&mut self.0) % limit as u64) as usize
    }

    pub(crate) fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }
}

impl World {
    /// A world with one variable `s` and actions `P.a0`, `Q.a1`, `P.a2`, …; `next[state][action]` lists the
    /// targets.
    pub(crate) fn graph(initial: &[usize], next: &[Vec<Vec<usize>>]) -> World {
        let actions = next[0].len();
        let place = Place { variable: VariableId(0), process: None, position: Vec::new() };
        let at = |state: usize| Expr::eq(Expr::Read(place.clone()), Expr::Int(state as i64));
        let mut system = System { name: "graph".to_owned(), ..System::default() };
        system.variables.push(Variable {
            name: "s".to_owned(),
            owner: None,
            kind: Type {
                dimensions: Vec::new(),
                scalar: Scalar::Range(Span::between(0, next.len() as i64 - 1)),
            },
            initial: Initial::Among(initial.iter().map(|state| Expr::Int(*state as i64)).collect()),
        });
        for name in ["P", "Q"] {
            system.families.push(Family { name: name.to_owned(), index: None, location: None });
        }
        for action in 0..actions {
            let sources = (0..next.len()).filter(|&state| !next[state][action].is_empty());
            let assign = |target: usize| Update::Assign(vec![(place.clone(), Expr::Int(target as i64))]);
            let branches = sources
                .clone()
                .flat_map(|state| next[state][action].iter().map(move |target| (state, *target)))
                .map(|(state, target)| (at(state), assign(target)))
                .collect();
            system.actions.push(Action {
                participants: vec![Participant {
                    family: FamilyId(action as u32 % 2),
                    index: None,
                    only: None,
                    label: format!("a{action}"),
                }],
                parameters: Vec::new(),
                // Constant guards would leave the action out of the instance, so each reads the state.
                guard: Expr::Or(
                    sources.map(at).chain([Expr::negated(Expr::or((0..next.len()).map(at)))]).collect(),
                ),
                update: Update::Either(branches),
            });
        }
        let mut steps = BTreeMap::new();
        for (state, next) in next.iter().enumerate() {
            let mut leaving: Vec<(Label, State)> = Vec::new();
            for (action, targets) in next.iter().enumerate() {
                let label = Label::Action(ActionId(action as u32));
                leaving.extend(targets.iter().map(|target| (label, State(vec![*target as i64]))));
            }
            steps.insert(State(vec![state as i64]), leaving);
        }
        let parties = (0..actions).map(|a| (a as u32 % 2, Some(format!("a{a}")), vec![a as u32]));
        let processes = (0..2).map(|p| (p, None, (p..actions as u32).step_by(2).collect()));
        let mut events: Vec<Event> = parties
            .chain(processes)
            .map(|(family, label, actions)| {
                let party = Party { family: FamilyId(family), process: None, label };
                Event { pattern: Pattern { participants: vec![party], arguments: None }, actions }
            })
            .collect();
        events.push(Event { pattern: Pattern::default(), actions: (0..actions as u32).collect() });
        let initial = initial.iter().map(|state| State(vec![*state as i64])).collect();
        World { system: Arc::new(system), initial, steps, places: vec![place], events }.with_idle()
    }

    /// A random graph.
    pub(crate) fn random(random: &mut Random, states: usize, actions: usize) -> World {
        let next: Vec<Vec<Vec<usize>>> = (0..states)
            .map(|_| {
                (0..actions)
                    .map(|_| {
                        let density = 1 + random.below(3);
                        (0..states).filter(|_| random.below(2 * states) < density).collect()
                    })
                    .collect()
            })
            .collect();
        let initial: Vec<usize> = (0..states).filter(|state| *state == 0 || random.chance(20)).collect();
        World::graph(&initial, &next)
    }

    /// Mutual exclusion of two processes by a semaphore: `P[i]` goes through `idle`, `try`, `crit`, `exit`,
    /// may stay in `idle`, takes `x` at `try` and gives it back at `exit`.
    pub(crate) fn semaphore() -> World {
        let i = Index(0);
        let x = Place { variable: VariableId(0), process: None, position: Vec::new() };
        let location = |process: Expr| Place {
            variable: VariableId(1),
            process: Some(Box::new(process)),
            position: Vec::new(),
        };
        let labels = ["idle", "try", "crit", "exit"];
        let mut system = System { name: "semaphore".to_owned(), ..System::default() };
        system.enums.push(Enumeration {
            name: "P@".to_owned(),
            members: labels.iter().map(|label| (*label).to_owned()).collect(),
        });
        system.indices.push(IndexName::new("i", Scalar::Range(Span::between(1, 2))));
        system.variables.push(Variable {
            name: "x".to_owned(),
            owner: None,
            kind: Type { dimensions: Vec::new(), scalar: Scalar::Bool },
            initial: Initial::Among(vec![Expr::Bool(true)]),
        });
        system.variables.push(Variable {
            name: "@".to_owned(),
            owner: Some(FamilyId(0)),
            kind: Type { dimensions: Vec::new(), scalar: Scalar::Enum(EnumId(0)) },
            initial: Initial::Among(vec![Expr::Int(0)]),
        });
        system.families.push(Family {
            name: "P".to_owned(),
            index: Some(Binder { index: i, span: Span::between(1, 2) }),
            location: Some(VariableId(1)),
        });
        for (number, label) in labels.into_iter().enumerate() {
            let here = Expr::eq(Expr::Read(location(Expr::Index(i))), Expr::Int(number as i64));
            let on = (location(Expr::Index(i)), Expr::Int((number as i64 + 1) % 4));
            let (guard, update) = match label {
                "idle" => {
                    let either =
                        vec![(Expr::Bool(true), Update::Skip), (Expr::Bool(true), Update::Assign(vec![on]))];
                    (here, Update::Either(either))
                }
                "try" => (
                    Expr::And(vec![here, Expr::Read(x.clone())]),
                    Update::Assign(vec![(x.clone(), Expr::Bool(false)), on]),
                ),
                "exit" => (
                    here,
                    Update::Sequence(vec![
                        Update::Assign(vec![(x.clone(), Expr::Bool(true))]),
                        Update::Assign(vec![on]),
                    ]),
                ),
                _ => (here, Update::Assign(vec![on])),
            };
            let participants = vec![Participant {
                family: FamilyId(0),
                index: Some(i),
                only: None,
                label: label.to_owned(),
            }];
            system.actions.push(Action { participants, parameters: Vec::new(), guard, update });
        }
        let mut steps = BTreeMap::new();
        for bits in 0..32i64 {
            let state = [bits % 2, bits / 2 % 4, bits / 8];
            let mut leaving: Vec<(Label, State)> = Vec::new();
            for process in [1, 2] {
                let at = state[process];
                let mut go = |x: i64, to: i64| {
                    let mut next = state;
                    (next[0], next[process]) = (x, to);
                    // Actions are counted label by label, and for each label process by process.
                    let label = Label::Action(ActionId(at as u32 * 2 + process as u32 - 1));
                    leaving.push((label, State(next.to_vec())));
                };
                match at {
                    0 => {
                        go(state[0], 0);
                        go(state[0], 1);
                    }
                    1 if state[0] == 1 => go(0, 2),
                    2 => go(state[0], 3),
                    3 => go(1, 0),
                    _ => {}
                }
            }
            steps.insert(State(state.to_vec()), leaving);
        }
        let mut events = Vec::new();
        for action in 0..8u32 {
            let process = Some(Box::new(Expr::Int(i64::from(action) % 2 + 1)));
            let label = Some(labels[action as usize / 2].to_owned());
            let party = Party { family: FamilyId(0), process, label };
            events.push(Event {
                pattern: Pattern { participants: vec![party], arguments: None },
                actions: vec![action],
            });
        }
        for process in [1, 2] {
            let party =
                Party { family: FamilyId(0), process: Some(Box::new(Expr::Int(process))), label: None };
            let actions = (0..8).filter(|action| i64::from(*action) % 2 + 1 == process).collect();
            events.push(Event { pattern: Pattern { participants: vec![party], arguments: None }, actions });
        }
        let places = vec![x, location(Expr::Int(1)), location(Expr::Int(2))];
        let initial = vec![State(vec![1, 0, 0])];
        World { system: Arc::new(system), initial, steps, places, events }.with_idle()
    }

    /// Adds `idle` to the states that no step leaves.
    fn with_idle(mut self) -> World {
        for (state, leaving) in &mut self.steps {
            leaving.sort();
            leaving.dedup();
            if leaving.is_empty() {
                leaving.push((Label::Idle, state.clone()));
            }
        }
        self
    }

    pub(crate) fn task(&self, fairness: &[Alternative], kind: Kind) -> Task {
        let alternatives = fairness
            .iter()
            .map(|Alternative { demands, global }| Assumption {
                requirements: demands.iter().map(|demand| self.requirement(demand)).collect(),
                global: *global,
            })
            .collect();
        let property = Property { name: "claim".into(), binders: Vec::new(), kind };
        Task::new(Arc::clone(&self.system), Fairness { alternatives }, property)
            .expect("it can be counted out")
    }

    fn requirement(&self, demand: &Demand) -> Requirement {
        match demand {
            Demand::Of(word, event) => {
                Requirement::of(*word, self.events[*event].pattern.clone(), Vec::new())
            }
            Demand::Justice(atom) => Requirement::justice(self.expr(atom), Vec::new()),
            Demand::Compassion(p, q) => Requirement::compassion(self.expr(p), self.expr(q), Vec::new()),
        }
    }

    pub(crate) fn expr(&self, atom: &Atom) -> Expr {
        match atom {
            Atom::At(cell, value) => {
                Expr::binary(Operator::Eq, Expr::Read(self.places[*cell].clone()), Expr::Int(*value))
            }
            Atom::Taken(event) => Expr::Taken(self.events[*event].pattern.clone()),
            Atom::Enabled(event) => Expr::Enabled(self.events[*event].pattern.clone()),
            Atom::Not(a) => Expr::Not(Box::new(self.expr(a))),
        }
    }

    pub(crate) fn formula(&self, phi: &Phi) -> Formula {
        let part = |a: &Phi| Box::new(self.formula(a));
        match phi {
            Phi::Atom(atom) => Formula::Atom(self.expr(atom)),
            Phi::Not(a) => Formula::Not(part(a)),
            Phi::And(a, b) => Formula::And(vec![*part(a), *part(b)]),
            Phi::Or(a, b) => Formula::Or(vec![*part(a), *part(b)]),
            Phi::Implies(a, b) => Formula::Implies(part(a), part(b)),
            Phi::X(a) => Formula::Next(part(a)),
            Phi::F(a) => Formula::Finally(part(a)),
            Phi::G(a) => Formula::Globally(part(a)),
            Phi::U(a, b) => Formula::Until(part(a), part(b)),
            Phi::W(a, b) => Formula::WeakUntil(part(a), part(b)),
            Phi::R(a, b) => Formula::Release(part(a), part(b)),
            Phi::Y(a) => Formula::Previous(part(a)),
            Phi::O(a) => Formula::Once(part(a)),
            Phi::H(a) => Formula::Historically(part(a)),
            Phi::S(a, b) => Formula::Since(part(a), part(b)),
        }
    }

    /// The states that can be reached, in the order of a breadth-first search.
    pub(crate) fn reachable(&self) -> Vec<State> {
        let mut states = self.initial.clone();
        let mut next = 0;
        while next < states.len() {
            for (_, target) in &self.steps[&states[next]] {
                if !states.contains(target) {
                    states.push(target.clone());
                }
            }
            next += 1;
        }
        states
    }
}
