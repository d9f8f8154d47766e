//! How large the automata of formulas from the literature are, against a golden table.
//!
//! Per set: the number of automata (one for each formula and one for its negation), their states, edges and marks, and
//! how many have each strength. `BLESS=1` rewrites the table.

use std::fmt::Write;
use std::fs;
use std::path::Path;

use automata::{Strength, translate};
use model::Formula;

use crate::corpus;

#[test]
fn automata_are_as_small_as_the_table_says() {
    let Some(sets) = corpus::sets() else {
        println!("skipped: there are no formulas from the literature beside the repository");
        return;
    };
    let mut table = String::new();
    for (name, formulas) in &sets {
        let (mut automata, mut states, mut edges, mut marks) = (0, 0, 0, 0);
        let mut strengths = [0; 3];
        for formula in formulas {
            for formula in [formula, &Formula::Not(Box::new(formula.clone()))] {
                let automaton = translate(formula, &|_| false).expect("never asked to give up");
                automata += 1;
                states += automaton.states.len();
                edges += automaton.states.iter().map(Vec::len).sum::<usize>();
                marks += automaton.marks;
                strengths[Strength::of(&automaton) as usize] += 1;
            }
        }
        let [terminal, weak, strong] = strengths;
        // Writing to a string does not fail.
        let _ = writeln!(
            table,
            "{name}: {automata} automata, {states} states, {edges} edges, {marks} marks, \
             {terminal} terminal, {weak} weak, {strong} strong"
        );
    }
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/sizes.txt");
    if std::env::var_os("BLESS").is_some() {
        fs::write(&path, &table).expect("a table that can be written");
    }
    assert_eq!(fs::read_to_string(&path).expect("the table"), table);
}
