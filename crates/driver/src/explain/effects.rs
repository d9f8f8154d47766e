//! Asks engines what becomes of a property if more is assumed: whether it holds then, and whether it does so only because
//! no run is fair any more, because its premise never happens ([`premise`](crate::premise)), or because nothing else can
//! move.

use std::cell::Cell;

use model::expr::Party;
use model::property::{Ctl, Kind, Paths};
use model::system::{Action, Participant};
use model::{
    Answer, Counterexample, Expr, Fairness, Family, FamilyId, Formula, Instance, Pattern, ProcessId,
    Property, Requirement, System, Task,
};

use super::remedies::{Effect, Remedies};
use super::support::account;
use crate::advise::rank::is_failure;
use crate::empty;
use crate::options::FairnessOption;
use crate::premise;
use crate::report::plain;

/// Whether a property that holds under some fairness holds under more.
pub(crate) fn is_monotone(kind: &Kind) -> bool {
    !matches!(kind, Kind::Ctl(formula) if formula.of_all_runs().is_none())
}

/// The names of actions, such as `Server.crash`, each once.
pub(crate) fn names(system: &System, wanted: &dyn Fn(&Action, &Participant) -> bool) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for action in &system.actions {
        for party in action.participants.iter().filter(|party| wanted(action, party)) {
            let name = format!("{}.{}", system.family(party.family).name, party.label);
            if !names.contains(&name) {
                names.push(name);
            }
        }
    }
    names
}

/// The claim that no process of a family ever has to fail, or to take a step of the environment: where it can, it can do
/// something else.
pub(crate) fn never_forced(instance: &Instance, family: FamilyId) -> Kind {
    let system = &instance.system;
    let claim = |id: ProcessId| {
        let index = instance.processes[id.0 as usize].index;
        let (mut forced, mut others) = (Vec::new(), Vec::new());
        for action in &system.actions {
            for own in action.participants.iter().filter(|own| own.family == family) {
                let process = index.map(|index| Box::new(Expr::Int(index)));
                let party = Party { family, process, label: Some(own.label.clone()) };
                let enabled = Expr::Enabled(Pattern { participants: vec![party], arguments: None });
                let is_forced = system.is_environment(action) || is_failure(&own.label);
                if is_forced { &mut forced } else { &mut others }.push(enabled);
            }
        }
        Expr::Or(std::iter::once(Expr::negated(Expr::Or(forced))).chain(others).collect())
    };
    Kind::Invariant(Expr::And(instance.members(family).map(claim).collect()))
}

/// The claim that from every state one can be reached in which what should recur is true. Otherwise no scheduler could see
/// to it.
pub(crate) fn recurs(justice: &Requirement) -> Kind {
    let goal = Ctl::Finally(Paths::Some, Box::new(Ctl::Atom(justice.then.clone())));
    Kind::Ctl(Ctl::Globally(Paths::All, Box::new(goal)))
}

/// The claims that what should recur has a part of the property as its consequence, in every reachable state.
pub(crate) fn consequences(kind: &Kind, justice: &Requirement) -> Vec<Kind> {
    let is_of_states = |atom: &&Expr| !atom.any(&mut |part| matches!(part, Expr::Taken(_)));
    let implied =
        |atom: &Expr| Kind::Invariant(Expr::Or(vec![Expr::negated(justice.then.clone()), atom.clone()]));
    kind.atoms().into_iter().filter(is_of_states).map(implied).collect()
}

/// Finds out what becomes of the property if what rules the run out is assumed as well. `decide` answers other tasks about
/// the same system.
pub(super) fn find_effects(
    task: &Task,
    found: &Counterexample,
    remedies: &mut Remedies,
    decide: &dyn Fn(&Task) -> Option<Answer>,
) {
    let premises = premise::premises(&task.property.kind);
    let asking =
        Asking { task, premises, answer: decide, shown: account(task, found), left: Cell::new(None) };
    remedies.assumed = !task.fairness.is_none();
    let finite = task.subject.is_bounded();
    remedies.bounded = finite;
    let ruling_out = remedies.ladder.iter().filter(|(_, rules_out)| *rules_out);
    // The strongest first. On finitely many states strong global fairness implies all others: if it is not enough, nothing
    // is, and if the premise can happen under it, it can under all.
    for rung in ruling_out.map(|(rung, _)| *rung).rev() {
        let global = remedies.effects.iter().find(|(rung, _)| *rung == FairnessOption::Global && finite);
        let effect = match (global.map(|(_, effect)| effect), rung.replacement(task.system())) {
            (Some(Effect::Fails), _) => Effect::Fails,
            (Some(Effect::Holds), Some(more)) => asking.verdict(&more),
            (_, Some(more)) => asking.effect(&more),
            (_, None) => Effect::Unknown,
        };
        remedies.effects.push((rung, effect));
    }
    remedies.effects.reverse();
    let system = task.system();
    let is_free = |(family, _): &(FamilyId, &Family)| {
        let free = task.instance().map(|instance| never_forced(instance, *family));
        free.is_some_and(|claim| asking.is_true_without_fairness(claim))
    };
    let fails = |_: &Action, party: &Participant| is_failure(&party.label);
    let partly = |action: &Action, party: &Participant| {
        system.is_environment(action) && !system.is_outside(party.family)
    };
    let families = (0..).map(FamilyId).zip(&system.families);
    // Most models have nothing of the kind.
    let some = !names(system, &|action, party| fails(action, party) || partly(action, party)).is_empty();
    let free: Vec<FamilyId> =
        if some { families.filter(is_free).map(|(id, _)| id).collect() } else { Vec::new() };
    let is_forced = |party: &Participant| !free.contains(&party.family);
    remedies.forced =
        names(system, &|action, party| (fails(action, party) || partly(action, party)) && is_forced(party));
    if remedies.is_hopeless() {
        remedies.left = asking.left.take();
        return;
    }
    for remedy in &mut remedies.weakest {
        asking.left.set(None);
        remedy.effect = asking.robust_effect(&Fairness::all_of(vec![remedy.requirement.clone()]));
        remedies.left = remedies.left.take().or_else(|| asking.left.take());
    }
    if remedies.weakest.iter().any(|remedy| remedy.effect != Effect::Fails) {
        remedies.left = None;
    }
    if remedies.weakest.is_empty() {
        for remedy in &mut remedies.conditions {
            let more = Fairness::all_of(vec![remedy.requirement.clone()]);
            remedy.effect = match asking.effect(&more) {
                // What can never be again and again makes everything true. And to assume what is claimed helps nobody.
                Effect::Holds
                    if !asking.can_recur(&remedy.requirement)
                        || asking.is_conclusion(&remedy.requirement) =>
                {
                    Effect::Unknown
                }
                effect => effect,
            };
        }
        for remedy in &mut remedies.environment {
            remedy.effect = asking.effect(&Fairness::all_of(vec![remedy.requirement.clone()]));
        }
        if let Some(remedy) = &mut remedies.choice {
            remedy.effect = match asking.effect(&Fairness::all_of(vec![remedy.requirement.clone()])) {
                Effect::Holds if !asking.can_recur(&remedy.requirement) => Effect::Unknown,
                effect => effect,
            };
        }
    }
}

/// Asks about the same system under more fairness.
struct Asking<'a> {
    task: &'a Task,
    /// What the property holds about.
    premises: Vec<Formula>,
    answer: &'a dyn Fn(&Task) -> Option<Answer>,
    /// The run that is shown, in a sentence.
    shown: Option<String>,
    /// The last run that was found, in a sentence.
    left: Cell<Option<String>>,
}

impl Asking<'_> {
    /// Whether another claim is true under more fairness.
    fn decide(&self, claim: &Kind, more: &Fairness) -> Option<Answer> {
        let property = Property { kind: claim.clone(), ..self.task.property.clone() };
        (self.answer)(&Task { property, fairness: self.task.fairness.and(more), ..self.task.clone() })
    }

    /// The same of little fairness, which may be enough only because nothing else can move.
    fn robust_effect(&self, more: &Fairness) -> Effect {
        match self.effect(more) {
            Effect::Holds if self.fails_beside(more) => Effect::Brittle,
            effect => effect,
        }
    }

    /// Whether the property is known to fail under more fairness if a process may always stutter.
    fn fails_beside(&self, more: &Fairness) -> bool {
        let fairness = self.task.fairness.and(more);
        let answer = empty::beside(self.task)
            .and_then(|subject| (self.answer)(&Task { subject, fairness, ..self.task.clone() }));
        matches!(answer, Some(Answer::Fails(_)))
    }

    fn effect(&self, more: &Fairness) -> Effect {
        match self.verdict(more) {
            Effect::Holds => match self.is_empty(more) {
                Some(true) => Effect::Empty,
                None => Effect::Unknown,
                Some(false) => self.excluded(more),
            },
            effect => effect,
        }
    }

    /// What a property that holds rests on: a premise that never happens, or nothing of that kind.
    fn excluded(&self, more: &Fairness) -> Effect {
        let excluded = self.premises.iter().find(|premise| self.never(more, premise) == Some(true));
        let text = |premise| Effect::Vacuous(plain::formula(self.task.system(), premise));
        excluded.map_or(Effect::Holds, text)
    }

    /// The verdict, whatever it rests on.
    fn verdict(&self, more: &Fairness) -> Effect {
        match self.decide(&self.task.property.kind, more) {
            Some(Answer::Holds(_)) => Effect::Holds,
            Some(Answer::Fails(found)) => {
                self.left.set(account(self.task, &found).map(|left| self.told_apart(left, &found)));
                Effect::Fails
            }
            Some(Answer::Unknown(_)) | None => Effect::Unknown,
        }
    }

    /// A run in a sentence; with the way to its loop, if that is what tells it from the run that is shown.
    fn told_apart(&self, left: String, found: &Counterexample) -> String {
        let stem = match found {
            Counterexample::Lasso(lasso) => lasso.cycle,
            _ => 0,
        };
        let what_repeats = |sentence: &str| sentence.split(" while ").next().map(str::to_owned);
        if stem == 0 || self.shown.as_deref().and_then(what_repeats) != what_repeats(&left) {
            return left;
        }
        format!(
            "after {}, {left}",
            if stem == 1 { "another step".to_owned() } else { format!("{stem} other steps") }
        )
    }

    /// Whether no fair run satisfies a formula, if that is known.
    fn never(&self, more: &Fairness, formula: &Formula) -> Option<bool> {
        let negation = Kind::Ltl(Formula::Not(Box::new(formula.clone())));
        match self.decide(&negation, more)? {
            Answer::Holds(_) => Some(true),
            Answer::Fails(_) => Some(false),
            Answer::Unknown(_) => None,
        }
    }

    /// Whether it is known that from every state one can be reached in which what should recur is true.
    fn can_recur(&self, justice: &Requirement) -> bool {
        self.is_true_without_fairness(recurs(justice))
    }

    /// Whether what should recur is known to have a part of the claim as its consequence.
    fn is_conclusion(&self, justice: &Requirement) -> bool {
        let claims = consequences(&self.task.property.kind, justice);
        claims.into_iter().any(|claim| self.is_true_without_fairness(claim))
    }

    /// Whether another claim is known to be true without fairness.
    fn is_true_without_fairness(&self, claim: Kind) -> bool {
        let property = Property { kind: claim, ..self.task.property.clone() };
        let task = Task { property, fairness: Fairness::none(), ..self.task.clone() };
        matches!((self.answer)(&task), Some(Answer::Holds(_)))
    }

    /// Whether there is no fair run, if that is known.
    fn is_empty(&self, more: &Fairness) -> Option<bool> {
        self.never(more, &Formula::Atom(Expr::Bool(true)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::explain::{Explanation, Remedy, explanation, kinds, remedy};

    /// What would rule out the run against the first property, with the effects.
    fn of(text: &str) -> Remedies {
        let loaded = lang::load("test", text, &[]);
        let model = loaded.model.unwrap_or_else(|| panic!("{:?}", loaded.diagnostics));
        let task = model.checks[0].task.clone();
        let session = model::Session::unlimited();
        let engine = &crate::all_engines()[0];
        let decide = |task: &Task| engine.check(task, &session).ok();
        let answer = decide(&task).expect("an answer");
        let Some(Explanation::Fails(failure)) = explanation(&task, &answer, &decide) else {
            panic!("{answer:?}")
        };
        failure.remedies.expect("it depends on fairness")
    }

    fn effects(remedies: &[Remedy]) -> Vec<(&str, Effect)> {
        remedies.iter().map(|remedy| (remedy.text.as_str(), remedy.effect.clone())).collect()
    }

    #[test]
    fn what_is_enough_is_told_from_what_rules_out_one_run() {
        // Messages may be lost in both directions. With one direction fair, the other still loses everything.
        let retry = "shared question, answer: bool;
            process Client { loop { send: question = true; wait: answer = false; } }
            process Server { action serve when question { question = false; answer = true; } }
            process Net { action lose_question when question { question = false; } action lose_answer when answer { answer = false; } }
            property served: G F taken(Server) under weak Client & strong Net;";
        let found = of(retry);
        assert!(found.weakest.iter().all(|remedy| !remedy.text.contains("lose")), "{:?}", found.weakest);
        assert!(found.is_some_enough(), "{:?}", found.weakest);
        assert!(remedy(&found).contains("then the property holds"), "{}", remedy(&found));
    }

    #[test]
    fn who_keeps_a_process_from_acting_is_named_and_what_would_let_it() {
        // One reader is inside at any time, so the writer never gets in.
        let text = "process Reader[i: 1..2] { loop { away: stay; ask: skip; read: skip; } }
            process Writer { want: await !Reader[1]@read && !Reader[2]@read; write: skip; }
            property writes: F Writer@write under strong all;";
        let found = of(text);
        let left_out = found.left_out.as_ref().expect("a step out of the loop");
        assert_eq!(left_out.then.as_deref(), Some("Writer.want"));
        assert!(left_out.action.starts_with("Reader"), "{left_out:?}");
        assert_eq!(
            effects(&found.conditions),
            [("justice (!Reader[1]@read && !Reader[2]@read)", Effect::Holds)]
        );
        let model = lang::load("test", text, &[]).model.expect("a model");
        let session = model::Session::unlimited();
        let answer = crate::all_engines()[0].check(&model.checks[0].task, &session).expect("an answer");
        let Some(Explanation::Fails(failure)) = explanation(&model.checks[0].task, &answer, &|_| None) else {
            panic!("{answer:?}")
        };
        let sentence = crate::explain::fate(failure.processes.last().expect("the writer"), 3);
        assert!(sentence.contains("which are never true at once: Reader["), "{sentence}");
    }

    #[test]
    fn another_run_with_the_same_loop_is_told_apart() {
        let found = of("stuttering; shared x: 0..2;
            process P { environment action go when x == 0 { choose v in 1..2 { x = v; } } }
            property p: F x == 2;");
        assert!(found.is_hopeless(), "{:?}", found.effects);
        assert!(remedy(&found).contains("On another run, after another step, "), "{}", remedy(&found));
    }

    #[test]
    fn little_fairness_that_counts_on_nothing_else_to_move_is_marked() {
        // While Q has ended, P is the only one that can move.
        let found = of("shared x: 0..1; shared y: bool;
            process P { loop { a: x = 1; b: x = 0; } } process Q { loop { last: y = true; await !y; } }
            property p: F y && G F x == 1;");
        assert_eq!(effects(&found.weakest)[0], ("weak Q", Effect::Brittle), "{:?}", found.weakest);
        assert!(remedy(&found).contains("only because nothing else can move"), "{}", remedy(&found));
    }

    #[test]
    fn a_blocked_process_shows_what_should_be_true_again_and_again() {
        let crossing = "shared car: bool = true;
            process Road { loop { flow: choose next in 0..1 { car = next == 1; } } }
            process Walker { loop { wait: when !car { skip; } } }
            property crosses: G F taken(Walker) under weak Road & strong Walker;";
        let found = of(crossing);
        assert!(found.weakest.is_empty());
        assert_eq!(effects(&found.conditions), [("justice (!car)", Effect::Holds)]);
        assert!(
            remedy(&found).starts_with("Add `justice (!car)`, so that this is true again and again"),
            "{}",
            remedy(&found)
        );
        // If it can never be true, everything would hold: that is no remedy.
        let never = crossing.replace("car = next == 1", "skip");
        let found = of(&never.replace("when !car", "when !car && car"));
        assert!(
            found.conditions.iter().all(|remedy| remedy.effect != Effect::Holds),
            "{:?}",
            found.conditions
        );
    }

    #[test]
    fn to_assume_what_is_claimed_is_no_remedy() {
        // `rest` waits for exactly what is claimed.
        let found = of("shared mode: 0..2;
            process P { loop { either { go: choose to in 0..1 { mode = to; } } or { rest: when mode == 2 { skip; } } } }
            process Q { loop { finish: when mode == 1 { choose to in 1..2 { mode = to; } } } }
            process R { loop { wait: when mode == 2 { skip; } } }
            property ends: F mode == 2 under strong all;");
        assert!(
            found.conditions.iter().all(|remedy| remedy.effect != Effect::Holds),
            "{:?}",
            effects(&found.conditions)
        );
        assert!(!remedy(&found).contains("justice (mode == 2)"), "{}", remedy(&found));
    }

    #[test]
    fn a_step_out_of_the_loop_is_named_and_what_would_make_it_be_taken() {
        let found = of("shared x: 0..1;
            process Task { loop { blocked: choose go in 0..1 { if go == 0 { goto blocked; } } work: skip; } }
            process Other { loop { look: x = 1 - x; } }
            property again: G F Task@work under strong all;");
        let text = remedy(&found);
        assert!(text.contains("could lead to `Task@work`, and there it never does"), "{text}");
        assert!(text.contains("`compassion (Task@blocked, Task@work)`"), "{text}");
    }

    #[test]
    fn the_step_out_of_the_loop_is_the_first_on_a_way_to_what_is_claimed() {
        let found = of("chan c: [1] of 0..2;
            process Sender { loop { send: choose v in 0..2 { c!v; } } }
            process Receiver { local x: 0..2; loop { recv: c?x; } }
            property gets_two: G F Receiver.x == 2 under weak processes;");
        let text = remedy(&found);
        assert!(text.contains("Sender.send could lead to `c = [2]`"), "{text}");
        assert!(text.contains("After that `Receiver.x == 2` could become true."), "{text}");
    }

    #[test]
    fn over_infinitely_many_states_it_says_nothing_of_other_kinds_that_global_is_not_enough() {
        let mut found =
            of("shared x: bool; process P { loop { a: x = true; } } process Q { loop { b: skip; } }
            property p: F x;");
        found
            .effects
            .iter_mut()
            .filter(|(rung, _)| *rung == FairnessOption::Global)
            .for_each(|(_, effect)| *effect = Effect::Fails);
        assert!(
            found.is_hopeless() && remedy(&found).starts_with("No weak, strong or global"),
            "{}",
            remedy(&found)
        );
        found.bounded = false;
        found.weakest.iter_mut().for_each(|one| one.effect = Effect::Unknown);
        assert!(!remedy(&found).contains("No weak, strong or global"), "{}", remedy(&found));
        assert!(kinds(&found).contains("With `global` other runs remain"), "{}", kinds(&found));
    }

    #[test]
    fn only_who_may_have_to_fail_is_said_to() {
        let text = "shared x: bool;
            process P { action crash { skip; } action work { x = true; } } process Q { loop { b: skip; } }
            property p: F x;";
        assert!(of(text).forced.is_empty());
        let found = of(&text.replace("action work", "action work when !x"));
        assert_eq!(found.forced, ["P.crash"]);
    }

    #[test]
    fn what_holds_because_its_premise_never_happens_is_no_remedy() {
        // Under strong global fairness the switch is moved for ever.
        let found = of("shared calm: bool; shared x: bool;
            environment process Weather { loop { change: choose next in 0..1 { calm = next == 1; } } }
            process P { loop { work: x = !x; } }
            property settles: F G calm -> F G x under weak P;");
        let vacuous = (FairnessOption::Global, Effect::Vacuous("F G calm".to_owned()));
        assert!(found.effects.contains(&vacuous), "{:?}", found.effects);
        assert!(
            remedy(&found).contains("never happens then. To make it hold, change the model"),
            "{}",
            remedy(&found)
        );
        assert_eq!(kinds(&found), "");
    }

    #[test]
    fn what_only_the_environment_can_end_is_not_asked_of_the_model() {
        let found = of("stuttering; shared up: bool = true; shared x: bool;
            process C {
                environment action crash when up { up = false; }
                environment action restart when !up { up = true; }
                action work when up { x = !x; }
            }
            property works: G F x under strong all & compassion (taken(C.crash), false);");
        assert!(found.weakest.is_empty(), "{:?}", found.weakest);
        assert_eq!(effects(&found.environment), [("weak C.restart", Effect::Holds)]);
        // A crash that happens finitely often cannot happen again and again.
        assert!(found.effects.contains(&(FairnessOption::Global, Effect::Empty)), "{:?}", found.effects);
        assert!(remedy(&found).contains("`global` leaves no fair run"), "{}", remedy(&found));
        assert!(
            remedy(&found).starts_with(
                "Only a step of the environment could end the loop, and fairness asks nothing of it."
            ),
            "{}",
            remedy(&found)
        );
    }
}
