//! Answers for every N: what holds for every N holds for this N. What is known of this N alone is said to be ([`sizes`]).
//!
//! An instance with tickets has infinitely many states, and little can be decided about it directly. If its size is a
//! parameter that was set, the model with the open parameter may be one whose processes can be counted, and its
//! answer for every N is an answer for this N. We ask with the part of the fairness that treats every process alike:
//! the requirements about a whole family that are all among the given ones. Fewer assumptions have more runs, so what
//! holds under them holds under all.
//!
//! This is checked: the open system with the values substituted must be the given system, and the same for the
//! property. If a property fails for some other N, nothing follows for this one.

use std::cell::RefCell;

use lang::Model;
use model::fairness::{self, Assumption, Word};
use model::{Answer, Fairness, FamilyId, Instance, Name, Requirement, Task, ground, setting};

use super::Reload;
use crate::ask::Panel;
use crate::ask::plan::{ADVISING, EngineKind};
use crate::world::World;

/// An open model that has the given system as an instance.
pub(super) struct General {
    open: Model,
    values: Vec<i64>,
    /// Requirements about a whole family, each with its requirements in the instance.
    uniform: Vec<(Requirement, Vec<Requirement>)>,
    panel: Panel,
    /// The answers so far: the position of the open property, the fairness, and whether it holds. All members of a
    /// family ask the same question.
    answers: RefCell<Vec<(usize, Fairness, bool)>>,
}

impl General {
    /// The open model of a model whose parameters were set. `None` if none was.
    pub(super) fn new(
        reload: Reload<'_>,
        settings: &[(String, String)],
        model: &Model,
        world: &World<'_>,
    ) -> Option<General> {
        let parameters = reload("", &[]).model?.system().parameters.clone();
        let is_parameter = |name: &str| parameters.iter().any(|parameter| parameter.name == name);
        let others: Vec<_> = settings.iter().filter(|(name, _)| !is_parameter(name)).cloned().collect();
        let open = reload("", &others).model?;
        let value = |name: &str| settings.iter().rev().find(|(set, _)| set == name)?.1.trim().parse().ok();
        let values: Vec<i64> =
            open.system().parameters.iter().map(|parameter| value(&parameter.name)).collect::<Option<_>>()?;
        if values.is_empty() || setting::system(open.system(), &values)? != **model.system() {
            return None;
        }
        let instance = model.subject.instance()?;
        let subjects: Vec<_> =
            fairness::actions(open.system()).chain(fairness::processes(open.system())).collect();
        let any = open.checks.first()?.task.clone();
        let in_instance = |requirement: &Requirement| {
            let property = model::Property { binders: Vec::new(), ..any.property.clone() };
            let fairness = Fairness::all_of(vec![requirement.clone()]);
            let set = setting::set(&Task { property, fairness, ..any.clone() }, &values, &[])?;
            Some(requirements(instance, &set.fairness.alternatives[0]))
        };
        let mut uniform = Vec::new();
        for (pattern, binders) in subjects {
            for word in [Word::Weak, Word::Strong] {
                let requirement = Requirement::of(word, pattern.clone(), binders.clone());
                if let Some(ground) = in_instance(&requirement) {
                    uniform.push((requirement, ground));
                }
            }
        }
        let panel = Panel::only(&[EngineKind::Counter], &open.subject, world);
        Some(General { open, values, uniform, panel, answers: RefCell::default() })
    }

    /// Whether a task about the instance holds because it holds for every value of the parameters.
    pub(super) fn holds(&self, task: &Task, instance: &Instance, world: &World<'_>) -> bool {
        let asked = |assumption: &Assumption| {
            let asked = requirements(instance, assumption);
            let is_asked =
                |one: &Requirement| asked.iter().any(|a| (&a.when, &a.then) == (&one.when, &one.then));
            let within = |ground: &[Requirement]| ground.iter().all(is_asked);
            let uniform = self.uniform.iter().filter(|(_, ground)| within(ground));
            Assumption {
                requirements: uniform.map(|(requirement, _)| requirement.clone()).collect(),
                global: false,
            }
        };
        let fairness = Fairness { alternatives: task.fairness.alternatives.iter().map(asked).collect() };
        self.claims(task, instance).into_iter().any(|claim| {
            let known = |(of, under, _): &&(usize, Fairness, bool)| *of == claim && *under == fairness;
            if let Some((_, _, holds)) = self.answers.borrow().iter().find(known) {
                return *holds;
            }
            let open = Task { fairness: fairness.clone(), ..self.open.checks[claim].task.clone() };
            let answer = self.panel.ask(&open, ADVISING, world).into_answer();
            let holds = matches!(answer, Some(Answer::Holds(_)));
            // A question that a limit left open may be asked again.
            if !matches!(&answer, Some(Answer::Unknown(reason)) if reason.stop().is_some()) {
                self.answers.borrow_mut().push((claim, fairness.clone(), holds));
            }
            holds
        })
    }

    /// The positions of the open properties of which the task's property is a member.
    fn claims(&self, task: &Task, instance: &Instance) -> Vec<usize> {
        let Name { family, member, .. } = &task.property.name;
        let is_claim = |place: &usize| {
            let open = &self.open.checks[*place].task;
            let set = setting::set(open, &self.values, member);
            // Compare ground properties, because the numbers of indices depend on the rest of the source.
            let ground = |task: &Task| ground::kind(instance, &task.property.kind);
            open.property.name.family == *family && set.is_some_and(|set| ground(&set) == ground(task))
        };
        let all = (0..self.open.checks.len()).filter(is_claim);
        // Two properties with the same claim are one question.
        let claim = |place: usize| {
            let property = &self.open.checks[place].task.property;
            (&property.kind, &property.binders)
        };
        all.map(|place| (0..place).find(|other| claim(*other) == claim(place)).unwrap_or(place)).collect()
    }
}

/// The ground requirements of an assumption.
fn requirements(instance: &Instance, assumption: &Assumption) -> Vec<Requirement> {
    let fairness = Fairness { alternatives: vec![assumption.clone()] };
    let ground = ground::fairness(instance, &fairness);
    ground.alternatives.into_iter().flat_map(|assumption| assumption.requirements).collect()
}

/// The families of which there are several processes, with their number: `2 Customer`. What is enough for so many may not
/// be for more.
pub(super) fn sizes(instance: &Instance) -> Vec<String> {
    // The steps of a channel are those of a process with its name.
    let is_channel = |name: &String| instance.system.channels.iter().any(|channel| channel.name == *name);
    let families = (0..).map(FamilyId).zip(&instance.system.families);
    let families = families.filter(|(_, family)| !is_channel(&family.name));
    let sizes = families.map(|(id, family)| (instance.members(id).count(), &family.name));
    sizes.filter(|(size, _)| *size > 1).map(|(size, name)| format!("{size} {name}")).collect()
}

#[cfg(test)]
mod tests {
    use engines::{Engine, Explicit};
    use model::Session;

    use super::*;

    #[test]
    fn what_is_said_to_hold_because_it_does_for_every_number_holds_for_this_one() {
        let world = World::unlimited();
        let (mut yes, mut no) = (0, 0);
        for name in ["mux_sem", "lease", "two_phase_commit", "test_and_set"] {
            let path = format!("{}/../../examples/counter/{name}.fair", env!("CARGO_MANIFEST_DIR"));
            let text = std::fs::read_to_string(path).expect("an example");
            let reload = |appended: &str, settings: &[(String, String)]| {
                lang::load("test", &format!("{text}{appended}"), settings)
            };
            let settings = [("N".to_owned(), "3".to_owned())];
            let model = reload("", &settings).model.expect("an instance");
            let general = General::new(&reload, &settings, &model, &world).expect("the parameter was set");
            let instance = model.subject.instance().expect("an instance");
            let engine = Explicit { notes: false, evidence: 0, ..Explicit::default() };
            let one = |word, k: usize| {
                let (pattern, binders) = fairness::actions(model.system()).nth(k).expect("an action");
                let binders = binders
                    .into_iter()
                    .map(|binder| model::Binder { span: model::Span::between(1, 1), ..binder });
                Fairness::all_of(vec![Requirement::of(word, pattern, binders.collect())])
            };
            for check in &model.checks {
                let fairness = [
                    Fairness::none(),
                    check.task.fairness.clone(),
                    Fairness::every_action(model.system(), Word::Weak),
                    Fairness::every_process(model.system(), Word::Weak),
                    Fairness::every_action(model.system(), Word::Strong),
                    one(Word::Weak, 0),
                    one(Word::Strong, 1),
                ];
                for fairness in fairness {
                    let task = Task { fairness, ..check.task.clone() };
                    let holds = matches!(engine.check(&task, &Session::unlimited()), Ok(Answer::Holds(_)));
                    let claimed = general.holds(&task, instance, &world);
                    assert!(!claimed || holds, "{name}: {} does not hold", task.property.name);
                    yes += usize::from(claimed);
                    no += usize::from(!holds);
                }
            }
            // Another instance is a different system, and so is a model with the parameter open.
            let other = reload("", &[("N".to_owned(), "4".to_owned())]).model.expect("an instance");
            assert!(General::new(&reload, &settings, &other, &world).is_none());
            assert!(General::new(&reload, &[], &reload("", &[]).model.expect("a model"), &world).is_none());
        }
        assert!(yes > 20 && no > 20, "{yes} claimed, {no} do not hold");
    }
}
