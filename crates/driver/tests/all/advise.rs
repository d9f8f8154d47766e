//! Advice on the examples: the ladder agrees with separate checks, and known results are found.

use std::path::Path;

use driver::advise::{Needs, RUNGS};
use driver::{Advice, FairnessOption, Model, Options, Verdict, World};

static NO_SOLVERS: std::sync::LazyLock<driver::Solvers> =
    std::sync::LazyLock::new(|| driver::Solvers::none("none is needed"));

fn world() -> World<'static> {
    World { memory: 4 << 30, solvers: &NO_SOLVERS, ..World::unlimited() }
}

/// The source of an example.
fn text(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples").join(name);
    std::fs::read_to_string(path).expect("an example")
}

fn load(name: &str, settings: &[(String, String)], appended: &str) -> Model {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples");
    let files = |file: &str| std::fs::read_to_string(folder.join(file)).map_err(|error| error.to_string());
    let loaded = driver::load(name, &(text(name) + appended), settings, &files);
    loaded.model.unwrap_or_else(|| panic!("{name}: {:?}", loaded.diagnostics))
}

/// The advice on the properties of an example with these names, or on all of them.
fn advice(name: &str, settings: &[(&str, &str)], properties: &[&str]) -> Vec<Advice> {
    let settings: Vec<_> = settings.iter().map(|(k, v)| ((*k).to_owned(), (*v).to_owned())).collect();
    let model = load(name, &settings, "");
    let reload = |appended: &str, settings: &[(String, String)]| {
        let model = load(name, settings, appended);
        driver::Loaded { model: Some(model), diagnostics: Vec::new(), values: Vec::new() }
    };
    let properties = properties.iter().map(|name| (*name).to_owned()).collect();
    let options = Options { settings, properties, ..Options::default() };
    let all = driver::advise(
        &model,
        &options,
        &driver::advise::Wanted::sets(3),
        Some(&reload),
        &world(),
        &mut |_, _| {},
    );
    all.unwrap_or_else(|problem| panic!("{name}: {problem}"))
}

#[test]
fn the_ladder_is_what_separate_checks_say_and_what_is_advised_is_confirmed_as_text() {
    let examples = [
        "crossing.fair",
        "mux_sem.fair",
        "peterson.fair",
        "retry.fair",
        "readers_writers.fair",
        "sleeping_barber.fair",
        "staircase.fair",
        "token_ring.fair",
        "two_phase_commit.fair",
        "elevator.fair",
        "dining_philosophers.fair",
        "round_robin.fair",
        "split/mux_sem_nondet.fair",
        "pat/ms.fair",
    ];
    let (mut holds, mut fails) = (0, 0);
    for name in examples {
        let all = advice(name, &[], &[]);
        for rung in RUNGS {
            let options = Options { fairness: rung, ..Options::default() };
            let model = load(name, &[], "");
            let report = driver::check(&model, &options, &world(), &mut |_, _| {}).expect("a report");
            for (advice, outcome) in all.iter().zip(&report.outcomes) {
                let (verdict, property) = (advice.ladder.verdict(rung), &outcome.property);
                assert_eq!(&advice.property, property, "{name}");
                assert_eq!(verdict, outcome.verdict, "{name}: {property} under {}", rung.name());
                holds += usize::from(verdict == Verdict::Holds);
                fails += usize::from(verdict == Verdict::Fails);
            }
        }
        for advice in &all {
            assert_eq!((advice.notes.len(), &advice.dispute), (0, &None), "{name}: {advice:?}");
        }
    }
    assert!(holds > 100 && fails > 100, "{holds} hold, {fails} fail");
}

#[test]
fn leader_election_in_a_complete_network_needs_weak_fairness() {
    for advice in advice("pat/le_c.fair", &[("N", "5")], &[]) {
        assert_eq!(advice.needs, Needs::Some);
        assert_eq!(advice.ladder.verdict(FairnessOption::None), Verdict::Fails);
        assert_eq!(advice.ladder.verdict(FairnessOption::Weak), Verdict::Holds);
        assert_eq!(advice.minimal[0], ["weak DetectorCorrect.oracle", "weak Node"]);
    }
}

#[test]
fn token_circulation_in_a_ring_needs_global_fairness() {
    for advice in advice("pat/tc_r.fair", &[("N", "7")], &[]) {
        assert_eq!((advice.needs, &advice.minimal), (Needs::Global, &vec![vec!["global".to_owned()]]));
        let strong = RUNGS.iter().take(5).map(|rung| advice.ladder.verdict(*rung));
        assert!(strong.into_iter().all(|verdict| verdict == Verdict::Fails));
    }
}

#[test]
fn a_bakery_with_endless_tickets_is_advised_on_from_what_holds_for_every_number() {
    use Verdict::{Fails, Holds};

    let all = advice("counter/bakery.fair", &[("N", "3")], &["access[1]"]);
    let [access] = &all[..] else { panic!("one property") };
    let verdicts = RUNGS.map(|rung| access.ladder.verdict(rung));
    assert_eq!(verdicts[..5], [Fails, Holds, Holds, Holds, Holds]);
    assert_eq!((access.ladder.verdict(FairnessOption::Declared), access.needs), (Holds, Needs::Some));
    assert!(access.minimal.iter().any(|assumption| *assumption == ["weak P"]), "{:?}", access.minimal);
}

#[test]
fn what_is_to_be_added_is_enough_together_with_what_is_assumed() {
    let mut seen = 0;
    for name in [
        "retry.fair",
        "sleeping_barber.fair",
        "producer_consumer.fair",
        "readers_writers.fair",
        "alternating_bit.fair",
        "crossing.fair",
        "protocols/saga.fair",
        "protocols/tcp_handshake.fair",
    ] {
        for advice in advice(name, &[], &[]) {
            let Some(addition) = &advice.addition else { continue };
            let added = addition.join(" & ");
            assert!(holds_with(name, &advice.property, &added), "{name}: {} with {added}", advice.property);
            seen += 1;
        }
    }
    assert!(seen > 8, "only {seen} additions");
}

/// Whether a property of an example holds, not vacuously, if this is assumed as well.
fn holds_with(name: &str, property: &driver::Name, added: &str) -> bool {
    let text = format!("\nfairness added: {added};\nproperty added: F true under added;");
    let mut model = load(name, &[], &text);
    let of = |model: &Model, name: &driver::Name| {
        model.checks.iter().find(|check| check.task.property.name == *name).expect("a check").clone()
    };
    let mut check = of(&model, property);
    check.task.fairness = check.task.fairness.and(&of(&model, &"added".into()).task.fairness);
    model.checks = vec![check];
    let report = driver::check(&model, &Options::default(), &world(), &mut |_, _| {}).expect("a report");
    (report.outcomes[0].verdict, report.outcomes[0].is_empty()) == (Verdict::Holds, false)
}

#[test]
fn what_an_explanation_calls_enough_is_enough_together_with_what_is_assumed() {
    use driver::advise::AdditionKind;
    use driver::explain::{Effect, Enough, Explanation};
    let (mut sets, mut choices) = (0, 0);
    for name in [
        "round_robin.fair",
        "producer_consumer.fair",
        "two_phase_commit.fair",
        "dining_philosophers.fair",
        "dining_philosophers_lefty.fair",
        "split/dining_phil.fair",
        "counter/test_and_set.fair",
        "counter/semaphore.fair",
        "protocols/saga.fair",
        "protocols/tcp_handshake.fair",
    ] {
        let options = Options { explain: true, ..Options::default() };
        let report =
            driver::check(&load(name, &[], ""), &options, &world(), &mut |_, _| {}).expect("a report");
        for outcome in &report.outcomes {
            let Some(Explanation::Fails(failure)) = &outcome.explanation else { continue };
            let of_run = failure.remedies.as_ref().and_then(|remedies| remedies.enough.as_ref());
            let beside_others = |enough: &&Enough| {
                !enough.stuttering && !matches!(enough.kind, AdditionKind::Instead | AdditionKind::Ends)
            };
            if let Some(enough) = of_run.or(failure.enough.as_ref()).filter(beside_others) {
                let added = enough.set.join(" & ");
                assert!(
                    holds_with(name, &outcome.property, &added),
                    "{name}: {} with {added}",
                    outcome.property
                );
                sets += 1;
            }
            let choice = failure.remedies.as_ref().and_then(|remedies| remedies.choice.as_ref());
            if let Some(choice) = choice.filter(|choice| choice.effect == Effect::Holds) {
                let about = format!("{name}: {} with {}", outcome.property, choice.text);
                assert!(holds_with(name, &outcome.property, &choice.text), "{about}");
                choices += 1;
            }
        }
    }
    assert!(sets > 3 && choices > 0, "{sets} sets, {choices} choices");
}

#[test]
fn weak_and_strong_fairness_that_is_enough_only_in_addition_is_found() {
    let consumer = &advice("producer_consumer.fair", &[], &["each_weakly[1]"])[0];
    assert_eq!(consumer.needs, Needs::Global);
    assert_eq!(consumer.addition.as_deref(), Some(&["strong Consumer[1]".to_owned()][..]));
    let tcp = &advice("protocols/tcp_handshake.fair", &[], &["opens_weakly"])[0];
    let added = tcp.addition.as_ref().expect("something is to be added");
    assert!(added.contains(&"compassion (taken(to_server.duplicate), false)".to_owned()), "{added:?}");
    // What is down has to be mended. That nothing fails any more is more than is needed.
    let saga = &advice("protocols/saga.fair", &[], &["ends_weakly"])[0];
    assert_eq!(saga.needs, Needs::Global);
    let added = saga.addition.as_ref().expect("something is to be added");
    assert!(added.contains(&"weak World.mend".to_owned()), "{added:?}");
    assert!(added.iter().all(|one| !one.contains("World.fail")), "{added:?}");
    assert!(!driver::advise::words::beyond_strong(saga).offers_global);
    let blocks = &advice("protocols/two_phase_recovery.fair", &[], &["blocks[1]"])[0];
    assert_eq!(blocks.addition.as_deref(), Some(&["weak Coordinator.restart".to_owned()][..]));
    assert!(!driver::advise::words::beyond_strong(blocks).offers_global);
    assert!(saga.environment.contains(&"World.mend".to_owned()), "{:?}", saga.environment);
    assert!(saga.expected == Some(driver::Expect::Fails) && saga.under);
}

#[test]
fn what_is_declared_for_all_may_be_enough_in_place_of_an_under() {
    let elevator = &advice("elevator.fair", &[], &["unfair[1]"])[0];
    assert_eq!((elevator.under, elevator.instead.as_deref()), (true, Some("weak Cabin")));
    let retry = &advice("retry.fair", &[], &["served_only"])[0];
    assert_eq!(retry.instead, None);
}

#[test]
fn a_set_that_counts_on_nothing_else_to_move_is_marked() {
    // The server is started again only because nobody else can do anything.
    let retry = &advice("retry.fair", &[], &["served_only"])[0];
    assert_eq!(retry.brittle, [0, 1], "{retry:?}");
    assert_eq!(retry.addition.as_deref(), Some(&["strong Client.got".to_owned()][..]));
    let elevator = &advice("elevator.fair", &[], &["unfair[1]"])[0];
    assert!(!elevator.brittle.contains(&0), "{elevator:?}");
}

#[test]
fn what_no_expectation_repairs_is_said_to_be_so() {
    let follows = &advice("protocols/controller.fair", &[], &["follows"])[0];
    assert!(follows.fails_whatever_is_expected && follows.addition.is_none(), "{follows:?}");
    let said = driver::advise::words::beyond_strong(follows);
    assert!(
        said.sentence.ends_with("change the model or the claim.") && !said.offers_global,
        "{}",
        said.sentence
    );
}

#[test]
fn a_run_of_one_instance_says_of_which_and_channels_are_no_processes() {
    let few = &advice("counter/arrivals.fair", &[], &["few"])[0];
    assert_eq!(few.counterexample_scope.as_deref(), Some("N = 4"));
    let gossip = &advice("protocols/gossip.fair", &[], &["by_weak_gossip"])[0];
    assert_eq!(gossip.sizes, ["3 Member"]);
    assert_eq!(gossip.reasons[0].requirement, "weak Member.miss");
}

#[test]
fn a_process_that_may_fail_is_asked_last() {
    let text = "shared holder: 0..2; shared left: 0..2;
        process Client[i: 1..2] {
            local up: bool = true;
            action acquire when up && left == 0 { holder, left = i, 2; }
            action crash when up { up = false; }
            action restart when !up { up = true; }
        }
        process Clock { action tick when left > 0 { left = left - 1; } }
        property first: G F (!Client[1].up || holder == 1);";
    let model = driver::load("test", text, &[], &|name| Err(name.to_owned())).model.expect("a model");
    let wanted = driver::advise::Wanted::sets(5);
    let all = driver::advise(&model, &Options::default(), &wanted, None, &world(), &mut |_, _| {});
    let found = all.expect("advice").remove(0);
    assert_eq!((found.needs, found.forced.len()), (Needs::Some, 0), "{:?}", found.minimal);
    assert_eq!(found.minimal[0], ["strong Client[1].acquire", "weak Clock.tick"]);
}

#[test]
fn the_set_of_one_member_is_widened_to_its_family() {
    let barber = &advice("sleeping_barber.fair", &[], &["served_weakly[1]"])[0];
    assert_eq!(barber.minimal, [["strong Customer[1]"]]);
    assert_eq!(barber.for_family.as_deref(), Some(&["strong Customer".to_owned()][..]));
}

#[test]
fn explain_and_advise_name_the_same_set_first() {
    use driver::advise::words::shown_beside;
    use driver::explain::Explanation;
    let (mut declared, mut alone) = (0, 0);
    for name in [
        "alternating_bit.fair",
        "crossing.fair",
        "dining_philosophers.fair",
        "elevator.fair",
        "mux_sem.fair",
        "producer_consumer.fair",
        "readers_writers.fair",
        "retry.fair",
        "sleeping_barber.fair",
        "token_ring.fair",
        "two_phase_commit.fair",
        "counter/lease.fair",
        "protocols/saga.fair",
        "protocols/two_phase_recovery.fair",
    ] {
        let options = Options { explain: true, ..Options::default() };
        let report =
            driver::check(&load(name, &[], ""), &options, &world(), &mut |_, _| {}).expect("a report");
        let advices = advice(name, &[], &[]);
        for (outcome, advice) in report.outcomes.iter().zip(&advices) {
            let Some(Explanation::Fails(failure)) = &outcome.explanation else { continue };
            let of_run = failure.remedies.as_ref().and_then(|remedies| remedies.enough.as_ref());
            let Some(enough) = of_run.or(failure.enough.as_ref()) else { continue };
            let first = match (&advice.addition, &advice.if_it_ends) {
                (Some(added), _) if advice.declares => added,
                (None, Some(ends)) => ends,
                _ => match shown_beside(advice) {
                    Some(beside) => beside,
                    None => advice.minimal.first().expect("a set"),
                },
            };
            assert_eq!(enough.set, first, "{name}: {}", outcome.property);
            if advice.declares { declared += 1 } else { alone += 1 }
        }
    }
    assert!(declared > 10 && alone > 10, "{declared} in addition, {alone} alone");
}

#[test]
fn what_is_enough_beside_others_is_found_over_integers_too() {
    let solvers = smt::installed();
    let world = World { memory: 4 << 30, solvers: &solvers, ..World::unlimited() };
    let options = |property: &str| Options { properties: vec![property.to_owned()], ..Options::default() };
    let wanted = driver::advise::Wanted::sets(3);
    let model = load("infinite/retry.fair", &[], "");
    let found = driver::advise(&model, &options("maybe_never"), &wanted, None, &world, &mut |_, _| {});
    let beside = found.expect("advice").remove(0).beside.expect("a set");
    assert_eq!(beside, ["weak Client", "strong Client.success"]);
    let verdict = |under: &str| {
        let text = format!("\nstuttering;\nproperty again: F done under {under};");
        let model = load("infinite/retry.fair", &[], &text);
        driver::check(&model, &options("again"), &world, &mut |_, _| {}).expect("a report").outcomes[0]
            .verdict
    };
    assert_eq!(verdict(&beside.join(" & ")), Verdict::Holds);
    assert_eq!(verdict("strong Client.success"), Verdict::Fails);
}

#[test]
fn requirements_that_are_needed_for_the_same_run_are_named_together() {
    let known = &advice("two_phase_commit.fair", &[], &["known"])[0];
    let said = driver::advise::words::reasons(known);
    assert!(said.len() < known.reasons.len(), "{said:?}");
    let runs: Vec<&str> = said.iter().filter_map(|line| line.split_once(": ")).map(|(_, run)| run).collect();
    assert!((1..runs.len()).all(|k| !runs[..k].contains(&runs[k])), "{said:?}");
}
