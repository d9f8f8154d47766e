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

#[test]
fn the_step_of_stuttering_is_an_event() {
    let text = "stuttering; process P { loop { e: skip; } } fairness f: weak stuttering.stay;
                property p: GF taken(stuttering.stay) under f & strong stuttering & unconditional stuttering.stay;
                property q: G enabled(stuttering) && F taken(stuttering);";
    assert_eq!(said(text), [""; 0]);
    let (file, _) = lang::parse(text);
    assert_eq!(lang::parse(&lang::print(&file)).0, file);
    assert_eq!(
        said(
            "stuttering; process P { loop { e: skip; } }
             property p: F taken(stuttering.go); property q: F taken(stuttering[1]); property r: F taken(stuttering + P);"
        ),
        [
            "«go» `stuttering` has no action `go` | not an action | help: its only action is `stay`",
            "«1» `stuttering` has no index | one too many",
        ]
    );
    assert_eq!(
        said("process P { loop { e: skip; } } property p: F taken(stuttering.stay);"),
        [
            "«stuttering» there is no process `stuttering` | not a process | help: `stuttering;` adds this step to the model"
        ]
    );
}
