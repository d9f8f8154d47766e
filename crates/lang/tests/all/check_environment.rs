//! The environment: processes and actions that fairness of everything leaves out.

use model::show;

use crate::explore::{self, model};
use crate::said::said;

const TEXT: &str = "chan c: [0] of bool;
    environment process User[i: 1..2] { loop { ask: skip; put: c!true; } }
    process Server { action work { skip; } environment action crash { skip; } action get { c?_; } }
    fairness a: weak all;
    fairness b: strong processes;
    fairness d: weak User & strong Server.crash & weak User.put;
    property p: true under a;
    property q: true under b;
    property r: true under d;";

#[test]
fn fairness_of_everything_asks_nothing_of_the_environment() {
    let model = model(TEXT);
    let shown: Vec<String> =
        model.checks.iter().map(|check| show::fairness(model.system(), &check.task.fairness)).collect();
    assert_eq!(
        shown,
        ["weak Server.work", "strong Server", "weak User & strong Server.crash & weak User.put+Server.get",]
    );
}

#[test]
fn it_changes_no_run() {
    let plain = model(&TEXT.replace("environment ", ""));
    let marked = model(TEXT);
    let mut system = (**marked.system()).clone();
    assert_eq!(system.environment.len(), 2);
    system.environment.clear();
    assert_eq!(system, **plain.system());
}

#[test]
fn the_word_is_a_name_elsewhere() {
    assert_eq!(
        said(
            "shared environment: bool; process P { local x: bool; environment: environment = !environment; }"
        ),
        [""; 0]
    );
    assert_eq!(
        said("environment shared x: bool; process P { environment local y: bool; skip; }").len(),
        2,
        "one message each"
    );
}

#[test]
fn stuttering_is_a_step_that_changes_nothing() {
    let walk = explore::start("stuttering; shared x: bool; process P { a: x = true; }");
    assert_eq!(walk.enabled(), ["P.a", "stuttering.stay"]);
    assert_eq!(walk.outcomes("stuttering.stay"), [""]);
    assert_eq!(walk.reachable(), 2);
}

#[test]
fn stuttering_is_said_once_and_takes_its_name() {
    assert_eq!(
        said("stuttering; process P { skip; } stuttering;"),
        ["«stuttering;» `stuttering` is said once | again here | «stuttering;» first here"]
    );
    assert_eq!(
        said("stuttering; shared stuttering: bool; process P { skip; }"),
        [
            "«stuttering» the step of `stuttering` needs the name for itself | choose another name | «stuttering;» asked for here"
        ]
    );
    assert_eq!(said("shared stuttering: bool; process P { stuttering = true; }"), [""; 0]);
}
