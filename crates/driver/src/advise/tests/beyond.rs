//! What advice says beyond minimal sets: what may be expected of failures and of the environment, what counts on nothing
//! else to move, and what is known first.

use std::sync::atomic::{AtomicBool, Ordering};

use super::*;

/// A process that the environment stops and starts.
const STOPPED: &str = "stuttering;
    shared up: bool = true; shared work: 0..2;
    process C {
        environment action crash when up { up = false; }
        environment action restart when !up { up = true; }
        action begin when up && work == 0 { work = 1; }
        action finish when up && work == 1 { work = 2; }
        action idle when up && work == 1 { skip; }
    }";

#[test]
fn what_the_environment_must_allow_is_added_with_what_the_model_must_do_itself() {
    let text = format!("{STOPPED} property done: F (work == 2) under weak C.begin;");
    let advice = advice(&text).remove(0);
    let added = ["weak C.restart", "strong C.begin", "strong C.finish"].map(str::to_owned).to_vec();
    assert_eq!((advice.addition, advice.addition_kind), (Some(added), AdditionKind::Expected));
}

#[test]
fn what_must_stop_is_assumed_to_happen_finitely_often() {
    let text = "stuttering; shared wire: 0..2; shared got: bool;
        environment process Noise { action scramble when wire == 1 { wire = 2; } }
        process Sender { action send when wire == 0 { wire = 1; } action again when wire == 2 { wire = 1; } }
        process Receiver { action get when wire == 1 { choose ok in 0..1 { if ok == 1 { got = true; } } } }
        property p: F taken(Receiver) under weak Sender;";
    let found = advice(text).remove(0);
    let added = found.addition.clone().expect("something helps");
    assert!(added.contains(&"strong Receiver.get".to_owned()), "{added:?}");
    // With weak fairness alone, the noise must end.
    let weak = advice(&text.replace("weak Sender", "weak Sender & weak Receiver")).remove(0);
    assert!(weak.addition.is_some(), "{weak:?}");
    let never = advice(
        "stuttering; shared at: 0..2;
         environment process User { action ask when at != 1 { at = 1; } action leave when at == 1 { at = 0; } }
         process P { action serve when at == 1 { choose to in 0..2 where to != 1 { at = to; } } action back when at == 2 { at = 0; } }
         property p: G (at == 1 -> F at == 2) under weak P;",
    )
    .remove(0);
    assert_eq!((never.needs, &never.addition), (Needs::Global, &None), "{never:?}");
    assert!(never.fails_whatever_is_expected, "{never:?}");
    let said = words::beyond_strong(&never);
    assert!(!said.offers_global && said.less.is_none() && said.shows_run, "{}", said.sentence);
}

#[test]
fn failures_that_must_end_are_said_to_also_where_nothing_else_helps() {
    let text = "shared leader: bool;
        process P { action win when !leader { leader = true; } action crash when leader { leader = false; } action idle { skip; } }
        property stable: F G leader under strong P.win;";
    let found = advice(text).remove(0);
    assert_eq!(found.needs, Needs::Hopeless(Hopeless::Run));
    let once = "compassion (taken(P.crash), false)".to_owned();
    assert_eq!(
        (found.addition.as_deref(), found.addition_kind),
        (Some(&[once.clone()][..]), AdditionKind::Expected)
    );
    assert_eq!(
        words::added_means(&found).as_deref(),
        Some("if it can be expected that P.crash happens only finitely often")
    );
    // Where a failure is the only step that is left, to assume that it ends would only exclude that place.
    let stuck = "shared lost: bool; process Network { action drop { lost = true; } action deliver when !lost { skip; } }
        property delivers: G F taken(Network.deliver) under strong all;";
    for text in [stuck.to_owned(), stuck.replace("strong all", "none")] {
        let stuck = advice(&text).remove(0);
        assert_eq!((stuck.needs, stuck.addition), (Needs::Hopeless(Hopeless::Run), None), "{text}");
    }
    // What is declared asks for the crash, so nothing can be added to it.
    let all = advice(&text.replace("strong P.win", "strong all")).remove(0);
    assert_eq!(all.addition_kind, AdditionKind::Instead);
    assert_eq!(all.addition, Some(vec![once, "weak P.win".to_owned()]));
}

#[test]
fn global_fairness_is_not_offered_beside_what_excludes_it() {
    // The crash must not go on for ever, and `global` asks for it again and again.
    let text = format!("{STOPPED} property done: F (work == 2) under compassion (taken(C.crash), false);");
    let found = advice(&text).remove(0);
    assert!(found.not_beside_global && found.addition.is_some(), "{found:?}");
    assert!(!words::beyond_strong(&found).offers_global);
    let without = advice(&text.replace("compassion (taken(C.crash), false)", "weak C.begin")).remove(0);
    assert!(!without.not_beside_global);
}

#[test]
fn what_is_cheap_is_known_of_all_properties_before_everything_is_of_one() {
    let text = "shared x: 0..3; process P { loop { a: x = (x + 1) % 4; } } process Q { loop { b: skip; } }
        property one: G F x == 1 under weak P; property two: G F x == 2 under weak Q; property three: G x <= 3;";
    let finished = AtomicBool::new(false);
    let stop = || finished.load(Ordering::Relaxed).then_some(StopReason::Time);
    let mut each = |_: usize, advice: &Advice| {
        finished.fetch_or(advice.finished, Ordering::Relaxed);
    };
    let all = advise(&model(text), &Options::default(), &Wanted::sets(3), None, &world(&stop), &mut each);
    let all = all.expect("a model that can be advised on");
    let of = |place: usize, rung| all[place].ladder.verdict(rung);
    assert_eq!(of(0, FairnessOption::Declared), Verdict::Holds);
    assert_eq!((of(1, FairnessOption::None), of(1, FairnessOption::Weak)), (Verdict::Fails, Verdict::Holds));
    assert_eq!(
        (of(1, FairnessOption::Declared), of(2, FairnessOption::None)),
        (Verdict::Fails, Verdict::Holds)
    );
}

#[test]
fn what_needs_no_fairness_only_while_nothing_else_moves_is_marked() {
    let text = "shared n: int; process P { a: n = 1; b: n = 2; } property p: F P@end;";
    let found = advice(text).remove(0);
    assert_eq!((found.needs, &found.brittle[..]), (Needs::Nothing, &[0][..]), "{found:?}");
    let bounded = advice(&text.replace("int", "0..2")).remove(0);
    assert_eq!(bounded.beside.as_deref(), Some(&["weak P".to_owned()][..]));
    assert!(words::limits(&bounded).any(|line| line.contains("use `fairness weak P;`")));
    let beside = advice(&format!("stuttering; {text}")).remove(0);
    assert_eq!((beside.needs, &beside.brittle[..]), (Needs::Some, &[][..]), "{beside:?}");
}

#[test]
fn what_is_needed_as_soon_as_something_else_can_move_is_named() {
    let text = "shared x: 0..1; shared y: bool;
        process P { loop { a: x = 1; b: x = 0; } } process Q { last: y = true; }
        property p: G F x == 1 under weak P & weak Q;";
    let surplus = advice(text).remove(0).surplus;
    assert_eq!(surplus.together, ["weak P", "weak Q"]);
    let beside = surplus.with_stuttering.as_ref().expect("it is brittle");
    assert_eq!(
        (&beside.together[..], beside.shorter.as_deref()),
        (&["weak Q".to_owned()][..], Some("weak P"))
    );
    let sentence = words::only_here(&surplus).expect("a sentence");
    assert!(sentence.starts_with("weak P; with `stuttering`"), "{sentence}");
}

#[test]
fn only_what_is_not_asked_of_some_members_is_to_be_added() {
    let text = "enum Node { ann, bob, cid } shared done: array[Node] of bool;
        process P[n: Node] { action work when !done[n] { done[n] = true; } action rest { skip; } }
        property all: F (forall n in Node: done[n]) under weak P[ann].work;";
    let found = advice(text).remove(0);
    assert_eq!(found.minimal[0], ["weak P.work"]);
    assert_eq!(
        found.addition.as_deref(),
        Some(&["weak P[bob].work", "weak P[cid].work"].map(str::to_owned)[..])
    );
}

#[test]
fn what_is_superfluous_only_while_nothing_else_moves_is_marked() {
    let text = "shared x: 0..1;
        process P { loop { a: x = 1; b: x = 0; } }
        property p: G F x == 1 under weak P;";
    let alone = advice(text).remove(0);
    assert!(
        !alone.surplus.superfluous.is_empty() && alone.surplus.with_stuttering.is_some(),
        "{:?}",
        alone.surplus
    );
    let beside = advice(&format!("stuttering; {text}")).remove(0);
    assert!(
        beside.surplus.superfluous.is_empty() && beside.surplus.with_stuttering.is_none(),
        "{:?}",
        beside.surplus
    );
}

#[test]
fn fairness_that_asks_for_failures_says_so() {
    let text = "shared x: 0..1;
        process P { action work when x == 0 { x = 1; } action crash when x == 1 { x = 0; } }
        process Q { loop { a: skip; } }
        property p: G F x == 1;";
    // What can be had without them is offered alone.
    assert_eq!(advice(text).remove(0).minimal, [["weak P.work"]]);
    let advice = advice(&text.replace("G F x == 1", "G F x == 1 && G F x == 0")).remove(0);
    let forced: Vec<&str> = advice.forced.iter().map(|forced| forced.requirement.as_str()).collect();
    let named = advice.minimal.iter().any(|set| *set == ["weak P"]);
    assert_eq!(forced, if named { vec!["weak P"] } else { Vec::new() }, "{:?}", advice.minimal);
    assert!(named, "{:?}", advice.minimal);
}

#[test]
fn what_leaves_no_fair_run_is_not_called_enough() {
    let text = "shared up: bool = true;
        process P { action serve when up { skip; } action crash when up { up = false; } }
        property served: G F taken(P.serve) under weak all & justice (up);";
    let found = advice(text).remove(0);
    assert_eq!(found.ladder.verdict(FairnessOption::Declared), Verdict::Holds);
    assert!(found.no_fair_run && found.surplus == Surplus::default(), "{found:?}");
    let can_be_met = advice(&text.replace("weak all", "weak P.serve")).remove(0);
    assert!(!can_be_met.no_fair_run, "{can_be_met:?}");
}

#[test]
fn a_step_that_decides_the_claim_is_no_failure_although_everything_ends_with_it() {
    // `serve` enables nothing. Whoever takes it for a failure finds nothing but `global`.
    let text = "stuttering; shared at: 0..2; shared up: bool = true;
        process Client { action send when at == 0 { at = 1; } action again when at == 1 { at = 0; } }
        process Server {
            action serve when at == 1 && up { at = 2; }
            action crash when up { up = false; }
            action reboot when !up { up = true; }
        }
        property served: F at == 2 under weak Client & weak Server.serve & weak Server.reboot;";
    let once = "compassion (taken(Server.crash), false)".to_owned();
    let found = advice(text).remove(0);
    let added = vec![once.clone(), "strong Server.serve".to_owned()];
    assert_eq!((found.addition, found.addition_kind), (Some(added), AdditionKind::Expected));
    // What asks for the crash is to be replaced.
    let replaced = advice(&text.replace("weak Client & weak Server.serve & weak Server.reboot", "weak all"));
    assert_eq!(replaced[0].addition_kind, AdditionKind::Instead);
    assert!(
        replaced[0].addition.as_ref().is_some_and(|set| set.contains(&once)),
        "{:?}",
        replaced[0].addition
    );
    // Without stuttering, the crash is the only step at the end, and cannot be expected to happen only finitely often.
    let stuck = advice(&text.replace("stuttering;", "")).remove(0);
    assert_eq!((stuck.needs, stuck.addition, stuck.if_it_ends), (Needs::Global, None, None));
}

#[test]
fn in_place_of_global_it_is_said_which_process_could_end() {
    // The queue is empty again and again if the users come to rest.
    let text = "shared call: array[0..1] of bool;
        process Users { loop { press: choose k in 0..1 { call[k] = true; } } }
        process Lift { loop { either { up: when call[1] { call[1] = false; } } or { down: when call[0] { call[0] = false; } }
            or { wait: when !call[0] && !call[1] { skip; } } } }
        property rests: G F !(call[0] || call[1]) under weak Users & weak Lift;";
    let found = advice(text).remove(0);
    assert_eq!(found.needs, Needs::Global);
    let less = ["weak Lift", "compassion (taken(Users.press), false)"].map(str::to_owned).to_vec();
    assert_eq!(found.if_it_ends, Some(less));
    let said = words::beyond_strong(&found);
    assert!(said.less.is_some_and(|less| less.contains("Users.press happens only finitely often")));
    // Where pressing is the only step that is possible, nobody can come to rest unless the model stutters.
    let busy = advice(&text.replace("or { wait: when !call[0] && !call[1] { skip; } }", "")).remove(0);
    assert_eq!((busy.needs, busy.ends_if_stuttering), (Needs::Global, true));
    assert_eq!(busy.if_it_ends, found.if_it_ends);
    let said = words::beyond_strong(&busy).less.expect("less is enough");
    assert!(said.contains("the model says `stuttering`"), "{said}");
}

#[test]
fn a_process_that_always_can_do_something_else_is_not_said_to_have_to_fail() {
    let text = "shared live: bool = true; shared marked: bool = true;
        process Mutator { action drop when live { live = false; } action use { skip; } }
        process Collector { action clear when !live && marked { marked = false; } }
        property collected: G (!live -> F !marked) under weak Mutator & weak Collector;";
    assert_eq!(advice(text)[0].forced_already, []);
    let forced = advice(&text.replace("action use", "action use when !live"));
    assert_eq!(forced[0].forced_already[0].failures, ["Mutator.drop"]);
}

#[test]
fn failures_that_have_no_part_in_a_run_are_not_spoken_of_but_who_rests_is() {
    let text = "shared ready: bool;
        process P { asleep: stay; go: ready = true; loop { either { drop: skip; } or { keep: skip; } } }
        property p: F ready;";
    let found = advice(text).remove(0);
    assert_eq!((found.needs, found.fails_whatever_is_expected), (Needs::Global, false));
    assert_eq!(found.rests, ["P"]);
    let said = words::beyond_strong(&found).less.expect("less may be enough");
    assert!(
        said.starts_with("P may rest for ever; if it has to go on, write `skip` in place of `stay`."),
        "{said}"
    );
    let working = advice(&text.replace("stay", "skip")).remove(0);
    assert!(working.needs == Needs::Nothing && working.rests.is_empty(), "{working:?}");
}
