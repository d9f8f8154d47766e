//! Integer transition systems: what a relation means, and what is refused and why.

use exchange::its;
use exchange::program::{Blocks, Imported};

use super::c::run;

const COUNT_DOWN: &str = "(declare-sort Loc 0)
(declare-const a Loc)
(define-fun init_main ((pc Loc) (x Int)) Bool (cfg_init pc a (> x 0)))
(define-fun next_main ((pc Loc) (x Int) (pc1 Loc) (x1 Int)) Bool (or
  (cfg_trans2 pc a pc1 b (and (> x 0) (= x1 (- x 1))))
  (cfg_trans2 pc b pc1 a (exists ((z Int)) (and (= z x) (= x1 z))))))";

#[test]
fn a_relation_is_a_step() {
    let Imported { model, diagnostics } = its::load("test", COUNT_DOWN, Blocks::Small);
    let model = model.unwrap_or_else(|| panic!("{diagnostics:?}"));
    let end = run(&model.checks[0].task, &[("x", 3)], 100).expect("it ends");
    assert_eq!(end["x"], 0);
}

#[test]
fn bad_transition_systems_are_refused() {
    for (text, reason) in [
        ("(", "no end"),
        (")", "open"),
        ("(a)", "no integer transition system"),
        (&COUNT_DOWN.replace("cfg_trans2 pc a", "cfg_trans3 pc a"), "cfg_trans2"),
        (&COUNT_DOWN.replace("(> x 0)", "(mystery x 0)"), "not understood"),
        (&COUNT_DOWN.replace("(- x 1)", "(- w 1)"), "not known"),
    ] {
        let Imported { model, diagnostics } = its::load("test", text, Blocks::Small);
        assert!(model.is_none(), "{text}");
        assert!(diagnostics[0].1.message.contains(reason), "{text}: {}", diagnostics[0].1.message);
    }
}
