//! Compares minimal assumptions with all assumptions on random small models, and tests the advice on chosen ones.
//!
//! `FAIRLY_TASKS` and `FAIRLY_SEED` choose how many random tasks and which.

mod beyond;

use std::collections::BTreeMap;
use std::fmt::Write;

use certify::oracle;
use model::StopReason;
use model::splitmix::SplitMix;

use super::hitting::is_at_most;
use super::*;

fn model(text: &str) -> Model {
    let loaded = lang::load("test", text, &[]);
    loaded.model.unwrap_or_else(|| panic!("{text}\n{:?}", loaded.diagnostics))
}

fn world(stop: &(dyn Fn() -> Option<StopReason> + Sync)) -> World<'_> {
    World { stop, ..World::unlimited() }
}

/// The advice on all properties of a source.
fn advice(text: &str) -> Vec<Advice> {
    let reload = |appended: &str, settings: &[(String, String)]| {
        lang::load("test", &format!("{text}{appended}"), settings)
    };
    let mut told: Vec<(usize, Advice)> = Vec::new();
    let mut each = |place: usize, advice: &Advice| told.push((place, advice.clone()));
    let all = advise(
        &model(text),
        &Options::default(),
        &Wanted::sets(20),
        Some(&reload),
        &world(&|| None),
        &mut each,
    );
    let all = all.expect("a model that can be advised on");
    for (place, advice) in all.iter().enumerate() {
        let of_this: Vec<&Advice> =
            told.iter().filter(|(of, _)| *of == place).map(|(_, told)| told).collect();
        assert_eq!(of_this.last(), Some(&advice), "the last that is told is the advice");
        for (number, earlier) in of_this.iter().enumerate() {
            // What is enough for a whole family is told last, of its first member.
            let last = number + 1 == of_this.len();
            // So is what a property lacks that another one has.
            let only_that_is_new = Advice {
                for_family: advice.for_family.clone(),
                addition: advice.addition.clone(),
                addition_kind: advice.addition_kind,
                as_for: advice.as_for.clone(),
                ..(*earlier).clone()
            };
            assert_eq!(earlier.finished, last || only_that_is_new == *advice);
            let pairs = earlier.ladder.verdicts.iter().zip(&advice.ladder.verdicts);
            let kept = pairs.clone().all(|(then, now)| *then == Verdict::Unknown || then == now);
            assert!(kept, "what was known stays known: {earlier:?} {advice:?}");
            assert!(earlier.needs == Needs::Unknown || earlier.minimal == advice.minimal);
        }
    }
    all
}

/// A random model of two or three processes with few actions, and a property.
fn source(random: &mut SplitMix) -> String {
    let mut pick = |choices: &[&str]| choices[random.below(choices.len() as u64) as usize].to_owned();
    let expr =
        |pick: &mut dyn FnMut(&[&str]) -> String| pick(&["x == 0", "x == 1", "x != 2", "y", "!y", "true"]);
    let effect = |pick: &mut dyn FnMut(&[&str]) -> String| {
        pick(&[
            "x = 0;",
            "x = 1;",
            "x = 2;",
            "y = !y;",
            "y = true;",
            "y = false;",
            "skip;",
            "x = (x + 1) % 3;",
        ])
    };
    let mut text = "shared x: 0..2;\nshared y: bool;\n".to_owned();
    let family = pick(&["process P", "process P", "process P[i: 1..2]"]);
    for (name, labels) in [(family.as_str(), ["a", "b"]), ("process Q", ["c", "d"])] {
        let _ = writeln!(text, "{name} {{");
        let one = pick(&["one", "two", "two"]) == "one";
        for label in &labels[..if one { 1 } else { 2 }] {
            let (guard, update) = (expr(&mut pick), effect(&mut pick));
            let _ = writeln!(text, "    action {label} when {guard} {{ {update} }}");
        }
        text += "}\n";
    }
    let (p, q) = (expr(&mut pick), expr(&mut pick));
    let event = pick(&["taken(P)", "taken(Q)", "taken(P.a)", "taken(Q.c)"]);
    let event = if family.contains('i') { event.replace("P)", "P[1])") } else { event };
    let formula = match pick(&["1", "2", "3", "4", "5"]).as_str() {
        "1" => format!("GF ({p})"),
        "2" => format!("G (({p}) -> F ({q}))"),
        "3" => format!("F (({p}) && ({q}))"),
        "4" => format!("GF ({p}) || FG ({q})"),
        _ => format!("GF {event}"),
    };
    text + &format!("property p: {formula};\n")
}

/// All choices of three levels for this many targets.
fn choices(targets: usize) -> Vec<Levels> {
    (0..targets).fold(vec![Vec::new()], |choices, _| {
        choices.iter().flat_map(|c: &Levels| (0..=STRONG).map(|level| [&c[..], &[level]].concat())).collect()
    })
}

#[test]
fn the_minimal_assumptions_are_those_found_by_trying_all() {
    let setting =
        |name: &str, default| std::env::var(name).ok().and_then(|t| t.parse().ok()).unwrap_or(default);
    let (tasks, seed): (u64, u64) = (setting("FAIRLY_TASKS", 25), setting("FAIRLY_SEED", 1));
    let mut random = SplitMix(seed);
    let (mut compared, mut several, mut with_strong, mut hopeless) = (0, 0, 0, 0);
    while compared < tasks {
        let text = source(&mut random);
        let model = model(&text);
        let task = &model.checks[0].task;
        let world = world(&|| None);
        let instance = Arc::clone(model.subject.instance().expect("an instance"));
        let memo = Memo::new(&model.subject, &world, || None);
        let mut asker = Asker::new(&memo, task.clone(), &world);
        let climb = climb(&mut asker, true);
        if climb.verdict(FairnessOption::None) == Verdict::Holds {
            continue;
        }
        let targets = targets(model.system(), Some(&instance), &task.property);
        let fairness = |levels: &Levels| {
            let chosen = chosen(&targets, levels);
            Fairness::all_of(
                chosen.iter().flat_map(|(t, word)| t.requirements(model.system(), *word)).collect(),
            )
        };
        let mut holds = |levels: &Levels| asker.ask(&fairness(levels)).verdict() == Verdict::Holds;
        if climb.verdict(FairnessOption::Strong) == Verdict::Fails {
            hopeless += 1;
            assert!(!holds(&vec![STRONG; targets.len()]), "seed {seed}\n{text}");
            continue;
        }
        compared += 1;
        let holding: Vec<Levels> = choices(targets.len()).into_iter().filter(&mut holds).collect();
        let smaller = |a: &Levels, b: &Levels| a != b && is_at_most(a, b);
        let mut expected: Vec<Levels> =
            holding.iter().filter(|c| !holding.iter().any(|o| smaller(o, c))).cloned().collect();
        expected.sort();
        let prices = (0..targets.len() as u64).map(|number| number % 4).collect();
        let candidates = Candidates { targets: targets.clone(), prices };
        let seeds = climb.evidence.iter().filter_map(|(_, found)| reach(&asker, &targets, found)).collect();
        let (mut found, extent) = minimal(&mut asker, &candidates, &Fairness::none(), seeds, usize::MAX);
        found.sort();
        assert_eq!((&found, extent), (&expected, Extent::All), "seed {seed}\n{text}");
        several += usize::from(found.len() > 1);
        with_strong += usize::from(found.iter().any(|levels| levels.contains(&STRONG)));
        // The definition agrees with the engine about the result.
        if compared % 8 == 0 {
            for levels in &found {
                let task = Task { fairness: fairness(levels), ..task.clone() };
                let decision = oracle::decide(&task, 20_000);
                assert!(decision.is_ok_and(|decision| decision.holds()), "seed {seed}\n{text}{levels:?}");
            }
        }
    }
    println!("{tasks} tasks, seed {seed}: {several} several, {with_strong} strong, {hopeless} hopeless");
    let tasks = tasks as usize;
    assert!(several * 5 > tasks && with_strong * 5 > tasks && hopeless * 5 > tasks);
}

const LOCK: &str = "shared free: bool = true;
    process P[i: 1..3] { loop { rest: stay; enter: request free; leave: release free; } } ";

#[test]
fn a_lock_needs_strong_fairness_of_one_action_and_weak_fairness_of_the_others() {
    let text = format!(
        "{LOCK} property enters: G (P[1]@enter -> F P[1]@leave) under strong P.rest & strong P.enter & weak P.leave;"
    );
    let [advice] = &advice(&text)[..] else { panic!("one property") };
    let weak = Verdict::Fails;
    assert_eq!(advice.ladder.verdict(FairnessOption::Weak), weak);
    assert_eq!(advice.ladder.verdict(FairnessOption::ProcessStrong), Verdict::Holds);
    assert_eq!((advice.needs, advice.extent), (Needs::Some, Extent::All));
    assert_eq!(advice.minimal[0], ["strong P[1]", "for i in 2..3: weak P[i]"]);
    assert_eq!(advice.minimal.len(), 4, "with the action or the process of either: {:?}", advice.minimal);
    assert_eq!(advice.surplus.superfluous, ["strong P.rest"]);
    assert_eq!(advice.notes, [], "what is advised was checked as text");
}

#[test]
fn a_property_that_treats_all_alike_gets_advice_for_all_alike() {
    let [advice] =
        &advice(&format!("{LOCK} property p: forall i in 1..3: G (P[i]@enter -> F P[i]@leave);"))[..]
    else {
        panic!("one property")
    };
    assert_eq!(advice.minimal[0], ["strong P"]);
    assert_eq!(advice.minimal[1], ["strong P.enter", "weak P"]);
    assert!(!advice.declares);
}

#[test]
fn strong_fairness_is_too_strong_where_weak_fairness_will_do() {
    let text = "process P { wait: skip; done: halt; } process Clock { loop { tick: skip; } }
        property p: F P@done under strong P;
        property q: F P@done under global;
        property r: F P@done under unconditional P.wait | weak P;";
    let advice = advice(text);
    assert_eq!(advice[0].surplus.too_strong, [("strong P".to_owned(), "weak P".to_owned())]);
    assert_eq!(advice[0].minimal, [["weak P.wait"]], "a process with one action is that action");
    assert_eq!(advice[1].surplus.too_strong, [("global".to_owned(), "strong all".to_owned())]);
    assert_eq!(advice[2].surplus.too_strong, [("unconditional P.wait".to_owned(), "weak P.wait".to_owned())]);
}

#[test]
fn what_can_be_dropped_one_at_a_time_need_not_be_droppable_at_once() {
    let text = "process P { wait: skip; done: halt; } process Clock { loop { tick: skip; } }
        property p: F P@done under weak P & weak P.wait & weak Clock;";
    let surplus = &advice(text)[0].surplus;
    assert_eq!(surplus.superfluous, ["weak P", "weak P.wait", "weak Clock"]);
    assert_eq!(surplus.together.len(), 2, "{surplus:?}");
    assert!(surplus.together.contains(&"weak Clock".to_owned()), "{surplus:?}");
}

#[test]
fn a_requirement_that_cannot_be_met_is_told_with_a_state() {
    let text = "shared up: bool = true;
        process Server { action serve when up { skip; } action crash when up { up = false; } }
        property p: G up under unconditional Server.serve;
        property q: G up under strong Server.serve;
        property r: GF up under justice (up) & justice (!up);";
    let advice = advice(text);
    let [found] = &advice[0].unrealisable[..] else { panic!("{:?}", advice[0].unrealisable) };
    assert_eq!(found.requirement, "unconditional Server.serve");
    assert_eq!(found.state.iter().map(ToString::to_string).collect::<Vec<_>>(), ["up = false"]);
    assert!(advice[1].unrealisable.is_empty());
    let requirements: Vec<_> = advice[2].unrealisable.iter().map(|u| u.requirement.as_str()).collect();
    assert_eq!(requirements, ["justice (up)"]);
}

#[test]
fn what_a_property_lacks_is_taken_from_one_with_the_same_claim_that_assumes_enough() {
    let text = "shared down, done, wind: bool;
        environment process World { action fail when !down { down = true; } action mend when down { down = false; }
            action blow { wind = !wind; } }
        process P { action work when !down && !done { done = true; } action rest when done { skip; } }
        property ends: F done under weak P & strong P.work & weak World.mend;
        property ends_weakly: F done under weak P;";
    let advice = advice(text);
    assert_eq!(advice[0].ladder.verdict(FairnessOption::Declared), Verdict::Holds);
    let added = advice[1].addition.as_ref().map(|added| added.join(" & "));
    assert_eq!(added.as_deref(), Some("strong P.work & weak World.mend"));
    assert_eq!(advice[1].as_for, Some("ends".into()));
    assert_eq!(advice[0].as_for, None);
}

#[test]
fn an_addition_is_found_for_every_number_of_processes() {
    let text = "param N >= 2; shared x: bool = true;
        process P[i: 1..N] { loop { rest: stay; enter: request x; leave: release x; } }
        property enters[i: 1..N]: G (P[i]@enter -> F P[i]@leave) under weak P;";
    let advice = advice(text);
    assert!(advice[0].addition.is_some(), "{:?}", advice[0]);
}

#[test]
fn what_is_left_of_an_assumption_can_be_pasted() {
    let text = "shared x, y: bool; process P { loop { a: x = true; } } process Q { loop { b: y = true; } }
        property p: F x under weak P & weak Q;";
    let surplus = &advice(text)[0].surplus;
    assert_eq!(surplus.superfluous, ["weak Q"]);
    assert_eq!(surplus.shorter.as_deref(), Some("weak P"));
}

#[test]
fn where_no_fairness_helps_a_deadlock_is_called_one() {
    let text = "shared x: bool; process P { a: x = true; b: await !x; } process Q { c: await x; d: halt; }
        property p: F P@end; property q: GF taken(P); invariant r: !x;
        property s: G !P@b;";
    let advice = advice(text);
    let needs: Vec<Needs> = advice.iter().map(|advice| advice.needs).collect();
    assert_eq!(needs[0], Needs::Hopeless(Hopeless::Deadlock));
    assert_eq!(needs[1], Needs::Hopeless(Hopeless::Deadlock));
    assert_eq!(needs[2], Needs::Hopeless(Hopeless::State));
    assert_eq!(needs[3], Needs::Hopeless(Hopeless::Prefix));
    for advice in &advice {
        assert!(advice.minimal.is_empty() && advice.counterexample.is_some(), "{advice:?}");
        assert!(advice.ladder.verdicts.iter().all(|verdict| *verdict == Verdict::Fails));
    }
    let fault = self::advice("shared x: 0..1; process P { loop { a: x = x + 1; } } property p: GF x == 5;");
    assert_eq!(fault[0].needs, Needs::Hopeless(Hopeless::Fault));
}

#[test]
fn an_outcome_within_an_action_needs_global_fairness() {
    let [advice] = &advice("process P { a: stay; b: halt; } property p: F P@b;")[..] else { panic!("one") };
    assert_eq!((advice.needs, &advice.minimal), (Needs::Global, &vec![vec!["global".to_owned()]]));
}

#[test]
fn what_needs_nothing_is_told_so_and_declared_fairness_is_superfluous() {
    let [advice] =
        &advice("process P { loop { a: skip; } } property p: GF taken(P) under weak P & strong P.a;")[..]
    else {
        panic!("one property")
    };
    assert_eq!((advice.needs, &advice.minimal), (Needs::Nothing, &vec![Vec::new()]));
    assert_eq!(advice.surplus.together, ["weak P", "strong P.a"]);
}

#[test]
fn a_formula_that_asks_for_fair_runs_to_exist_has_no_least_assumption() {
    let text = "shared x: bool; process P { a: x = true; } process Q { loop { b: skip; } }
        property p: EG !x under weak P; property q: AF x under weak P; property e: EF x;";
    let advice = advice(text);
    assert_eq!(advice[0].needs, Needs::Nothing, "it holds without fairness");
    assert_eq!(advice[0].ladder.verdict(FairnessOption::Weak), Verdict::Fails, "and fails with");
    assert_eq!((advice[1].needs, &advice[1].minimal[0]), (Needs::Some, &vec!["weak P.a".to_owned()]));
}

#[test]
fn of_every_number_of_processes_the_advice_is_for_all_of_them() {
    let text = "param N >= 2; shared x: bool = true;
        process P[i: 1..N] { loop { idle: stay; try: request x; exit: release x; } }
        property access[i: 1..N]: G (P[i]@try -> F P[i]@exit) under weak P & strong P.try;";
    let [advice] = &advice(text)[..] else { panic!("one property") };
    assert_eq!(advice.scope, "every N >= 2");
    assert_eq!(advice.ladder.verdict(FairnessOption::Weak), Verdict::Fails);
    assert_eq!(advice.ladder.verdict(FairnessOption::Strong), Verdict::Holds);
    assert!(
        advice.minimal.contains(&vec!["strong P.try".to_owned(), "weak P.exit".to_owned()]),
        "{advice:?}"
    );
}

#[test]
fn whenever_a_limit_is_reached_the_rest_is_unknown_and_nothing_is_wrong() {
    let text = format!("{LOCK} property p: G (P[1]@enter -> F P[1]@leave) under weak P & strong P.enter;");
    let whole = &advice(&text)[0];
    for patience in [0, 1, 2, 5, 10, 20, 40, 80, 160] {
        let left = std::sync::atomic::AtomicU32::new(patience);
        let spend = std::sync::atomic::Ordering::Relaxed;
        let stop = || match left.fetch_update(spend, spend, |left| left.checked_sub(1)) {
            Ok(_) => None,
            Err(_) => Some(StopReason::Time),
        };
        let all = advise(
            &model(&text),
            &Options::default(),
            &Wanted::sets(20),
            None,
            &world(&stop),
            &mut |_, _| {},
        );
        let [part] = &all.expect("advice")[..] else { panic!("one property") };
        for (known, truth) in part.ladder.verdicts.iter().zip(&whole.ladder.verdicts) {
            assert!(*known == Verdict::Unknown || known == truth, "after {patience}: {part:?}");
        }
        assert!(part.minimal.iter().all(|set| whole.minimal.contains(set)), "after {patience}: {part:?}");
        assert!(part.surplus.superfluous.iter().all(|r| whole.surplus.superfluous.contains(r)));
        if part.ladder.verdicts.contains(&Verdict::Unknown) {
            assert!(
                part.notes.iter().any(|note| note.to_string().contains("the time limit was reached")),
                "{part:?}"
            );
        }
    }
}

/// The verdicts on the only property of a source, in the order of the rungs.
fn ladder(text: &str) -> Vec<&'static str> {
    advice(text)[0].ladder.verdicts[..6].iter().map(|verdict| verdict.name()).collect()
}

#[test]
fn weak_fairness_of_actions_is_not_that_of_the_process_whose_actions_are_enabled_in_turn() {
    let verdicts = ladder(
        "shared x: bool;
         process P { action a when x { skip; } action b when !x { skip; } }
         process Q { loop { flip: x = !x; } }
         property acts: F taken(P);",
    );
    assert_eq!(verdicts, ["fails", "holds", "fails", "holds", "holds", "holds"]);
}

#[test]
fn a_state_that_refutes_a_formula_under_one_fairness_says_nothing_of_another() {
    let verdicts = ladder(
        "shared x: 0..2;
         process P { loop { rest: skip; } }
         process Q { one: x = 1; two: x = 2; }
         property passes: AF (x == 1 && EX x == 2);",
    );
    assert_eq!(verdicts[..5], ["fails", "holds", "holds", "holds", "holds"]);
}

#[test]
fn what_can_be_dropped_beside_global_fairness_is_told() {
    let reported = advice(
        "shared x: 0..2;
         process P { loop { s: choose v in 0..2 { x = v; } } }
         property comes: F x == 2 under global & weak P;",
    );
    assert_eq!(reported[0].surplus.superfluous, ["weak P"]);
    assert!(reported[0].surplus.too_strong.is_empty() && !reported[0].surplus.partial);
}

#[test]
fn a_declared_predicate_that_is_a_fault_is_not_overlooked() {
    let [advice] = &advice(
        "shared x: 0..2; process P { loop { up: x = (x + 1) % 3; } } property p: G F x == 0 under weak P & justice (6 / x > 2);",
    )[..] else {
        panic!("one property")
    };
    assert_eq!(advice.ladder.verdict(FairnessOption::Weak), Verdict::Holds);
    assert_eq!(advice.ladder.verdict(FairnessOption::Declared), Verdict::Fails);
}

#[test]
fn what_is_declared_is_compared_with_the_kinds_of_fairness() {
    let all = advice(
        "shared x: 0..3;
         process P { action inc when x < 2 { x = x + 1; } action dec when x > 0 { x = x - 1; }
                     action die when x == 1 { x = 3; } }
         property same: AF x == 3 under global; property less: AF x == 3 under weak all;
         property more: AF x == 3 under strong all & strong P; property two: AF x == 3 under strong all | none;",
    );
    let declared: Vec<Verdict> =
        all.iter().map(|advice| advice.ladder.verdict(FairnessOption::Declared)).collect();
    assert_eq!(declared, [Verdict::Holds, Verdict::Fails, Verdict::Holds, Verdict::Fails]);
}

#[test]
fn a_set_is_flagged_if_and_only_if_a_premise_never_happens_under_it() {
    let setting =
        |name: &str, default| std::env::var(name).ok().and_then(|t| t.parse().ok()).unwrap_or(default);
    let (tasks, seed): (u64, u64) = (setting("FAIRLY_TASKS", 40), setting("FAIRLY_SEED", 2));
    let mut random = SplitMix(seed);
    let (mut flagged, mut unflagged) = (0, 0);
    while flagged + unflagged < tasks {
        let mut text = source(&mut random);
        text.truncate(text.find("property").expect("a property"));
        let mut pick = |choices: &[&'static str]| choices[random.below(choices.len() as u64) as usize];
        let atoms = ["x == 0", "x == 1", "x != 2", "y", "!y"];
        let premise = format!("{} ({})", pick(&["FG", "GF"]), pick(&atoms));
        let conclusion = format!("{} ({})", pick(&["GF", "F", "FG"]), pick(&atoms));
        let (claim, premise) = match random.below(8) {
            0 | 1 => (format!("{premise} -> {conclusion}"), premise),
            2 => (format!("!({premise} && !({conclusion}))"), premise),
            3 => (format!("!({premise}) || {conclusion}"), premise),
            4 => (format!("G ({premise} -> {conclusion})"), format!("F {premise}")),
            5 => (format!("X ({premise} -> {conclusion})"), format!("X {premise}")),
            6 => (format!("!F ({premise} && !({conclusion}))"), format!("F {premise}")),
            _ => (
                format!("({premise} -> {conclusion}) W (x == 2)"),
                format!("(x != 2) U (x != 2 && {premise})"),
            ),
        };
        let _ = writeln!(text, "property p: {claim};");
        let [advice] = &advice(&text)[..] else { panic!("one property") };
        if advice.needs != Needs::Some {
            continue;
        }
        for (number, set) in advice.minimal.iter().enumerate() {
            let under = set.join(" & ");
            let model = model(&format!("{text}property never: !({premise}) under {under};"));
            let never = &model.checks[1].task;
            let holds = oracle::decide(never, 10_000).expect("a small task").holds();
            let is_flagged = advice.vacuous.iter().any(|(vacuous, _)| *vacuous == number);
            assert_eq!(is_flagged, holds, "seed {seed}\n{text}{under}");
            flagged += u64::from(holds);
            unflagged += u64::from(!holds);
        }
        let first = advice.vacuous.first().map_or(advice.minimal.len(), |(number, _)| *number);
        assert_eq!(first + advice.vacuous.len(), advice.minimal.len(), "what is flagged comes last");
    }
    assert!(flagged >= tasks / 20 && unflagged >= tasks / 4, "{flagged} flagged, {unflagged} not");
}

/// What advice and explanations say is enough in addition to what is assumed is so by the oracle, leaves fair runs, and
/// excludes no premise.
#[test]
fn what_is_to_be_added_is_enough_by_the_oracle_and_hides_no_premise() {
    use crate::explain::{Effect, Explanation};
    let setting =
        |name: &str, default| std::env::var(name).ok().and_then(|t| t.parse().ok()).unwrap_or(default);
    let (tasks, seed): (u64, u64) = (setting("FAIRLY_TASKS", 60), setting("FAIRLY_SEED", 5));
    let mut random = SplitMix(seed);
    let mut seen: BTreeMap<&str, u64> = BTreeMap::new();
    let mut failing = 0;
    while failing < tasks {
        let mut text = source(&mut random);
        text.truncate(text.find("property").expect("a property"));
        if random.below(3) == 0 {
            text = text.replacen("process Q", "environment process Q", 1);
        }
        let mut pick = |choices: &[&'static str]| choices[random.below(choices.len() as u64) as usize];
        let atoms = ["x == 0", "x == 1", "x != 2", "y", "!y", "taken(Q.c)"];
        let premise = format!("{} ({})", pick(&["FG", "GF"]), pick(&atoms));
        let conclusion = format!("{} ({})", pick(&["GF", "F", "FG"]), pick(&atoms));
        let has_premise = pick(&["no", "yes", "yes"]) == "yes";
        let claim = if has_premise { format!("{premise} -> {conclusion}") } else { conclusion };
        let present = pick(&[
            "none",
            "weak P",
            "weak Q.c",
            "strong P.a",
            "weak all",
            "justice (y)",
            "justice (x == 1)",
            "compassion (taken(Q.c), false)",
        ]);
        let _ = writeln!(text, "property p: {claim} under {present};");
        let [advice] = &advice(&text)[..] else { panic!("one property") };
        if advice.ladder.verdict(FairnessOption::Declared) != Verdict::Fails {
            continue;
        }
        failing += 1;
        // What is enough, whether it replaces what is assumed, and whether the model has to stutter for it.
        let in_place = |kind| matches!(kind, AdditionKind::Instead | AdditionKind::Ends);
        let mut sets: Vec<(&str, String, bool, bool)> = Vec::new();
        let own = advice.addition.iter();
        sets.extend(own.map(|added| ("advice", added.join(" & "), in_place(advice.addition_kind), false)));
        let ends = advice.if_it_ends.iter();
        sets.extend(ends.map(|set| ("if it ends", set.join(" & "), true, advice.ends_if_stuttering)));
        let options = Options { explain: true, ..Options::default() };
        let report =
            crate::check(&model(&text), &options, &world(&|| None), &mut |_, _| {}).expect("a report");
        if let Some(Explanation::Fails(failure)) = &report.outcomes[0].explanation
            && let Some(remedies) = &failure.remedies
        {
            sets.extend(remedies.enough.iter().map(|enough| {
                ("explanation", enough.set.join(" & "), in_place(enough.kind), enough.stuttering)
            }));
            let single = remedies.weakest.iter().chain(&remedies.conditions).chain(&remedies.environment);
            let single = single.chain(&remedies.choice).filter(|one| one.effect == Effect::Holds);
            sets.extend(single.map(|one| ("single", one.text.clone(), false, false)));
        }
        for (who, added, in_place, stuttering) in sets {
            let under = if present == "none" || in_place { added } else { format!("{present} & {added}") };
            let stutters = if stuttering { "stuttering; " } else { "" };
            let again = model(&format!(
                "{stutters}{text}property again: {claim} under {under}; property never: !({premise}) under {under}; property some: F false \
                 under {under};"
            ));
            let holds = |place: usize| {
                let decided = oracle::decide(&again.checks[place].task, 10_000);
                decided.expect("a small task").holds()
            };
            assert!(holds(1), "{who}, seed {seed}: not enough\n{text}{under}");
            assert!(!holds(3), "{who}, seed {seed}: no run is fair\n{text}{under}");
            assert!(!has_premise || !holds(2), "{who}, seed {seed}: vacuous\n{text}{under}");
            *seen.entry(who).or_default() += 1;
        }
    }
    println!("{failing} failing tasks, said to be enough: {seen:?}");
    for who in ["advice", "explanation", "single"] {
        assert!(seen.get(who).is_some_and(|times| *times >= tasks / 60), "{who} is rare: {seen:?}");
    }
}

#[test]
fn what_is_enough_for_a_family_is_enough_for_each_member_and_hides_none() {
    let lock = "shared x: bool = true;
        process P[i: 1..3] { loop { rest: stay; enter: request x; leave: release x; } } ";
    let enters = format!("{lock} property enters[i: 1..3]: G (P[i]@enter -> F P[i]@leave);");
    let all = advice(&enters);
    assert_eq!(all[0].for_family, Some(vec!["strong P".to_owned()]));
    assert!(all[1..].iter().all(|advice| advice.for_family.is_none()));
    let some = format!("{lock} property two[i: 2..3]: G (P[i]@enter -> F P[i]@leave);");
    let declared = advice(&some)[0].for_family.clone().expect("an assumption");
    for (text, declared) in [(&enters, &["strong P".to_owned()][..]), (&some, &declared)] {
        let model = model(&format!("{text} fairness {};", declared.join(" & ")));
        for check in &model.checks {
            assert!(oracle::decide(&check.task, 10_000).expect("a small task").holds(), "{text}");
        }
    }
    // Nobody needs any, or no fairness helps one of them.
    let free = format!("{lock} property p[i: 1..2]: G (P[i]@leave -> !x);");
    assert_eq!(advice(&free)[0].for_family, None);
    let lost = format!("{lock} property p[i: 1..2]: if i == 1 {{ true }} else {{ false }};");
    assert_eq!(advice(&lost)[0].for_family, None);
    // To let the first one go on keeps the second one's premise from coming true, and the other way round.
    let turn = "shared t: 1..2;
        process P { action one { t = 1; } } process Q { action two { t = 2; } }
        property p[i: 1..2]: FG t == i -> GF t != i; ";
    let all = advice(turn);
    assert!(all.iter().all(|advice| advice.needs == Needs::Some), "{all:?}");
    for advice in &all {
        if let Some(declared) = &advice.for_family {
            for premise in ["FG t == 1", "FG t == 2"] {
                let text = format!("{turn} property never: !({premise}) under {};", declared.join(" & "));
                let task = &model(&text).checks[2].task.clone();
                assert!(
                    !oracle::decide(task, 10_000).expect("a small task").holds(),
                    "{premise}: {declared:?}"
                );
            }
        }
    }
}

const SERVER: &str = "shared up: bool = true;
    process Server { action serve when up { skip; } action crash when up { up = false; } }
    process Doctor { action repair when !up { up = true; } }
    process Clock { action tick { skip; } }
    property serves: FG up -> GF taken(Server.serve); ";

#[test]
fn nobody_is_asked_to_be_fair_to_a_crash() {
    let [advice] = &advice(SERVER)[..] else { panic!("one property") };
    assert!(advice.minimal.iter().flatten().all(|text| !text.contains("crash")), "{:?}", advice.minimal);
    assert_eq!(advice.vacuous, []);
    let renamed =
        SERVER.replace("crash", "flip").replace("up = false", "up = !up").replace("flip when up", "flip");
    let [advice] = &self::advice(&renamed)[..] else { panic!("one property") };
    let vacuous: Vec<&[String]> =
        advice.vacuous.iter().map(|(number, _)| &advice.minimal[*number][..]).collect();
    assert_eq!(vacuous, [["weak Server.flip"]], "{advice:?}");
    assert_eq!(advice.vacuous[0].1, "F G up");
}

#[test]
fn what_is_excluded_is_not_advised() {
    let advise_without = |names: &[&str]| {
        let wanted =
            Wanted { not_fair_to: names.iter().map(ToString::to_string).collect(), ..Wanted::sets(9) };
        let found =
            advise(&model(SERVER), &Options::default(), &wanted, None, &world(&|| None), &mut |_, _| {});
        found.expect("advice").remove(0)
    };
    assert!(advise_without(&["crash"]).needs == Needs::Some);
    let advice = advise_without(&["Server.serve"]);
    assert!(advice.minimal.iter().flatten().all(|text| !text.contains("serve")), "{:?}", advice.minimal);
    let advice = advise_without(&["Server"]);
    assert_eq!((advice.needs, advice.minimal.len()), (Needs::Excluded, 0));
    let message = unknown_target(&model(SERVER), &["Sevrer".to_owned()]).expect("there is none");
    assert!(message.contains("did you mean `Server`?"), "{message}");
    assert_eq!(unknown_target(&model(SERVER), &["Server.crash".to_owned(), "repair".to_owned()]), None);
}

#[test]
fn global_fairness_that_only_excludes_the_premise_is_said_to_be_vacuous() {
    let advice = &advice(
        "shared calm: bool; shared x: bool;
         environment process Weather { loop { change: choose next in 0..1 { calm = next == 1; } } }
         process P { loop { work: x = !x; } }
         property settles: F G calm -> F G x under weak P;",
    )[0];
    assert_eq!(advice.needs, Needs::Global);
    assert_eq!(advice.vacuous, [(0, "F G calm".to_owned())]);
}

#[test]
fn what_is_missing_is_said_beside_what_is_assumed() {
    let lock = |under: &str| {
        let text = format!(
            "shared free: bool = true;
             process P[i: 1..3] {{ loop {{ rest: stay; enter: request free; leave: release free; }} }}
             property enters: G (P[1]@enter -> F P[1]@leave) under {under};"
        );
        advice(&text).remove(0)
    };
    let addition = lock("weak P").addition.expect("a part is there");
    assert_eq!(addition.len(), 1, "{addition:?}");
    // What is proposed is enough.
    let more = lock(&format!("weak P & {}", addition[0]));
    assert_eq!(more.ladder.verdict(FairnessOption::Declared), Verdict::Holds);
    assert_eq!(more.addition, None);
}

#[test]
fn where_only_global_fairness_is_enough_what_is_waited_for_may_be_asked_for() {
    let advice = &advice(
        "shared car: bool = true;
         process Road { loop { flow: choose next in 0..1 { car = next == 1; } } }
         process Walker { loop { wait: when !car { skip; } } }
         property crosses: G F taken(Walker) under weak Road & strong Walker;",
    )[0];
    assert_eq!(advice.needs, Needs::Global);
    assert_eq!(advice.addition.as_deref(), Some(&["justice (!car)".to_owned()][..]));
}

#[test]
fn each_part_of_a_set_has_a_run_that_the_others_allow() {
    // Fairness to the voter as a whole is met by failing and recovering.
    let vote = "process Voter { local down: bool;
            action fail when !down { down = true; } action recover when down { down = false; }
            cast: either { agree: when !down { skip; } } or { refuse: when !down { skip; } } done: halt; }
        process Clock { loop { tick: skip; } }
        property votes: F Voter@done; ";
    let advice = &advice(vote)[0];
    let first = &advice.minimal[0];
    assert!(first.len() > 1, "{advice:?}");
    let explained: Vec<&String> = advice.reasons.iter().map(|reason| &reason.requirement).collect();
    assert_eq!(explained, first.iter().collect::<Vec<_>>());
    for reason in &advice.reasons {
        assert!(reason.run.contains("repeat"), "{}", reason.run);
        assert_eq!(reason.weaker.is_some(), reason.requirement.starts_with("strong"));
        let others = first.iter().filter(|one| **one != reason.requirement);
        let less: Vec<&str> = others.chain(&reason.weaker).map(String::as_str).collect();
        let without = model(&format!("{vote} property less: F Voter@done under {};", less.join(" & ")));
        assert!(!oracle::decide(&without.checks[1].task, 10_000).expect("a small task").holds());
    }
    let choice = advice.choices.iter().find(|choice| choice.label == "agree").expect("a choice");
    assert_eq!(choice.others, ["refuse"]);
    assert_eq!(advice.sizes, [] as [String; 0]);
}

#[test]
fn a_requirement_on_the_only_step_of_a_place_is_no_choice() {
    let lock = "shared x: bool = true;
        process P[i: 1..2] { loop { rest: stay; enter: request x; leave: release x; } }
        property enters: G (P[1]@enter -> F P[1]@leave);";
    let found = &advice(lock)[0];
    assert!(!found.minimal.is_empty() && found.choices.is_empty(), "{found:?}");
    assert_eq!(found.sizes, ["2 P"]);
    // The choice comes again and again, so fairness to one side of it is only met by taking that side.
    let coin =
        "shared side: bool; process P { loop { either { heads: side = true; } or { tails: side = false; } } }
        property both: GF side && GF !side;";
    let found = &advice(coin)[0];
    assert!(found.minimal.iter().flatten().any(|one| one.contains("heads")), "{found:?}");
    assert_eq!(found.choices, []);
}
