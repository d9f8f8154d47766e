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

fn advice(name: &str, settings: &[(&str, &str)]) -> Vec<Advice> {
    let settings: Vec<_> = settings.iter().map(|(k, v)| ((*k).to_owned(), (*v).to_owned())).collect();
    let model = load(name, &settings, "");
    let reload = |appended: &str, settings: &[(String, String)]| {
        let model = load(name, settings, appended);
        driver::Loaded { model: Some(model), diagnostics: Vec::new(), values: Vec::new() }
    };
    let options = Options { settings, ..Options::default() };
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
        let all = advice(name, &[]);
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
    for advice in advice("pat/le_c.fair", &[("N", "5")]) {
        assert_eq!(advice.needs, Needs::Some);
        assert_eq!(advice.ladder.verdict(FairnessOption::None), Verdict::Fails);
        assert_eq!(advice.ladder.verdict(FairnessOption::Weak), Verdict::Holds);
        assert_eq!(advice.minimal[0], ["weak DetectorCorrect.oracle", "weak Node"]);
    }
}

#[test]
fn token_circulation_in_a_ring_needs_global_fairness() {
    for advice in advice("pat/tc_r.fair", &[("N", "7")]) {
        assert_eq!((advice.needs, &advice.minimal), (Needs::Global, &vec![vec!["global".to_owned()]]));
        let strong = RUNGS.iter().take(5).map(|rung| advice.ladder.verdict(*rung));
        assert!(strong.into_iter().all(|verdict| verdict == Verdict::Fails));
    }
}

#[test]
fn a_bakery_with_endless_tickets_is_advised_on_from_what_holds_for_every_number() {
    use Verdict::{Fails, Holds};

    let all = advice("counter/bakery.fair", &[("N", "3")]);
    let first = driver::Name::from("access").member(&[1]);
    let access = all.iter().find(|advice| advice.property == first).expect("a property");
    let verdicts = RUNGS.map(|rung| access.ladder.verdict(rung));
    assert_eq!(verdicts[..5], [Fails, Holds, Holds, Holds, Holds]);
    assert_eq!((access.ladder.verdict(FairnessOption::Declared), access.needs), (Holds, Needs::Some));
    assert!(access.minimal.iter().any(|assumption| *assumption == ["weak P"]), "{:?}", access.minimal);
}
