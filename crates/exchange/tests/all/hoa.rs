//! The Hanoi format: written automata are read back, and those of other tools are understood or refused by name.

#[path = "../../../automata/tests/all/corpus.rs"]
#[allow(dead_code)] // only a part of it is used here
mod corpus;
#[path = "../../../automata/tests/all/graphs.rs"]
#[allow(dead_code)] // only a part of it is used here
mod graphs;
#[path = "../../../automata/tests/all/random.rs"]
#[allow(dead_code)] // only a part of it is used here
mod random;
#[path = "../../../automata/tests/all/words.rs"]
#[allow(dead_code)] // only a part of it is used here
mod words;

use automata::{Automaton, translate};
use exchange::hoa::{read, write};

use self::graphs::accepts;
use self::random::{ATOMS, Random};
use self::words::{Word, atom, satisfies};

#[test]
fn what_is_written_is_read_again() {
    let mut random = Random(4);
    for _ in 0..2_000 {
        let size = 1 + random.below(9);
        let formula = random.formula(size);
        let automaton = translate(&formula, &|_| false).expect("never asked to give up");
        let names: Vec<String> = (0..automaton.atoms.len()).map(|k| format!("a \"{k}\" \\")).collect();
        let text = write(&automaton, "a \"name\"", &names);
        let read = read(&text).unwrap_or_else(|message| panic!("{message}\n{text}"));
        assert_eq!(read.atoms, names);
        let again = read.with_atoms(automaton.atoms.clone());
        assert_eq!(again, automaton, "{text}");
        let word = Word::random(&mut random, ATOMS);
        assert_eq!(accepts(&again, &word), satisfies(&formula, &word), "{formula:?}\n{word:?}");
    }
}

/// Whether the automaton of a text accepts the words that satisfy a formula over its propositions.
fn agrees(text: &str, formula: &str) {
    let formula = corpus::read(formula);
    let automaton = read(text).unwrap_or_else(|message| panic!("{message}\n{text}"));
    let atoms = (0..automaton.atoms.len() as u64).map(atom).collect();
    let automaton = automaton.with_atoms(atoms);
    let mut random = Random(5);
    for _ in 0..2_000 {
        let word = Word::random(&mut random, automaton.atoms.len() as u64);
        assert_eq!(accepts(&automaton, &word), satisfies(&formula, &word), "{word:?}\n{text}");
    }
}

#[test]
fn marks_and_labels_of_states_belong_to_the_edges_that_leave_them() {
    agrees(
        "HOA: v1 States: 2 Start: 0 Start: 1 AP: 1 \"a\" acc-name: Buchi Acceptance: 1 Inf(0) --BODY--
         State: [0] 0 \"yes\" {0} 0 1 State: [!0] 1 \"no\" 0 1 --END--",
        "GFa",
    );
}

#[test]
fn automata_without_labels_have_an_edge_for_each_letter() {
    agrees(
        "HOA: v1 /* a comment /* in a comment */ */ States: 2 Start: 0 AP: 2 \"a\" \"b\" Acceptance: 1 Inf(0)
         --BODY-- State: 0 0 0 1 1 State: 1 {0} 1 1 1 1 --END--",
        "(a | !a) & Fb",
    );
}

#[test]
fn labels_may_be_any_boolean_formula_with_aliases() {
    agrees(
        "HOA: v1 Start: 0 AP: 2 \"a\" \"b\" Alias: @x !(0 | 1) Alias: @y @x | 0&1 Acceptance: 0 t properties: trans-labels
         --BODY-- State: 0 [@y & t | f] 0 --END--",
        "G((a & b) | (!a & !b))",
    );
}

#[test]
fn several_sets_are_a_generalised_condition_and_needless_ones_do_not_matter() {
    agrees(
        "HOA: v1 States: 1 Start: 0 AP: 2 \"a\" \"b\" acc-name: generalized-Buchi 2 Acceptance: 3 (Inf(2) & Inf(0))
         --BODY-- State: 0 [0&1] 0 {0 2} [0&!1] 0 {0 1} [!0&1] 0 {2} [!0&!1] 0 --END--",
        "GFa & GFb",
    );
}

#[test]
fn an_automaton_without_initial_states_is_read() {
    let text = "HOA: v1 States: 0 AP: 0 Acceptance: 0 t --BODY-- --END--";
    assert_eq!(read(text), Ok(Automaton::nothing(Vec::new())));
}

#[test]
fn what_is_not_supported_is_refused_by_name() {
    let with = |acceptance: &str| {
        format!(
            "HOA: v1\nStates: 1\nStart: 0\nAP: 1 \"a\"\n{acceptance}\n--BODY--\nState: 0\n[t] 0 {{0}}\n--END--"
        )
    };
    let rabin = "acc-name: Rabin 1\nAcceptance: 2 Fin(0)&Inf(1)";
    for (text, message) in [
        (
            with(rabin),
            "line 7: Rabin acceptance is not supported, only Büchi and generalised Büchi are; a tool such as Spot's `autfilt` may turn it into one of these",
        ),
        (
            with("Acceptance: 1 f"),
            "line 6: this acceptance is not supported, only Büchi and generalised Büchi are; a tool such as Spot's `autfilt` may turn it into one of these",
        ),
        (
            with("Acceptance: 2 Inf(0)|Inf(1)"),
            "line 6: this acceptance is not supported, only Büchi and generalised Büchi are; a tool such as Spot's `autfilt` may turn it into one of these",
        ),
        (with(""), "line 6: there is no `Acceptance:` header"),
        (with("Acceptance: 1 Inf(0)\nFancy: 3"), "line 6: the header `Fancy:` is not supported"),
        (
            with("Acceptance: 1 Inf(0)").replace("[t] 0", "[t] 0&0"),
            "line 8: alternation (an edge to several states) is not supported; a tool such as Spot's `autfilt` may remove it",
        ),
        (with("Acceptance: 1 Inf(0)").replace("[t] 0", "[t] 1"), "line 9: state 1 does not exist"),
        (with("Acceptance: 1 Inf(0)").replace("[t] 0", "[1] 0"), "line 8: there is no proposition 1"),
        (
            with("Acceptance: 1 Inf(0)").replace("Start: 0", "Start: 7"),
            "line 9: the initial state 7 does not exist",
        ),
        (with("Acceptance: 1 Inf(0)").replace("--END--", ""), "line 8: the text ends before `--END--`"),
        (
            with("Acceptance: 1 Inf(0)").replace("State: 0", "State: 0 State: 0"),
            "line 8: state 0 is described twice",
        ),
        (with("Acceptance: 1 Inf(0)\nAP: 0"), "line 6: there are two headers `AP:`"),
        (with("Acceptance: 9999 t"), "line 5: 9999 is too large for the number of acceptance sets"),
        (String::new(), "line 1: the text does not begin with `HOA: v1`"),
        ("HOA: v1 /* open".to_owned(), "line 1: a comment is not closed"),
    ] {
        assert_eq!(read(&text), Err(message.to_owned()), "{text}");
    }
}

#[test]
fn short_texts_of_enormous_automata_are_refused() {
    // The label has a cube for each letter with an odd number of propositions.
    let parity = (1..10).fold("0".to_owned(), |label, p| format!("(({label})&!{p} | !({label})&{p})"));
    let names: Vec<String> = (0..10).map(|p| format!("\"{p}\"")).collect();
    let text = format!(
        "HOA: v1 AP: 10 {} Alias: @odd {parity} Acceptance: 0 t --BODY-- State: 0 {} --END--",
        names.join(" "),
        "[@odd] 0 ".repeat(3_000)
    );
    assert_eq!(read(&text), Err("line 1: the automaton has more than 1048576 edges".to_owned()));
}

#[test]
fn damaged_texts_do_no_harm() {
    let text = "HOA: v1\nname: \"x\"\nStates: 2\nStart: 0\nAP: 2 \"a\" \"b\"\nAlias: @c 0|!1\nAcceptance: 1 Inf(0)\n--BODY--\n\
                State: 0\n[@c&(!0|1)] 1 {0}\n[t] 0\nState: 1\n[!0] 0\n--END--\n";
    let mut random = Random(6);
    let (mut fine, mut refused) = (0, 0);
    for _ in 0..20_000 {
        let mut characters: Vec<char> = text.chars().collect();
        for _ in 0..=random.below(4) {
            let place = random.below(characters.len() as u64) as usize;
            match random.below(3) {
                0 => drop(characters.remove(place)),
                1 => characters.insert(place, characters[random.below(characters.len() as u64) as usize]),
                _ => characters[place] = ['9', '(', '[', '@', '!', '"', '-', 'ü'][random.below(8) as usize],
            }
        }
        match read(&characters.into_iter().collect::<String>()) {
            Ok(_) => fine += 1,
            Err(_) => refused += 1,
        }
    }
    let deep = format!("HOA: v1 AP: 1 \"a\" Alias: @a {}0", "(".repeat(1_000_000));
    assert_eq!(read(&deep), Err("line 1: a label is nested too deeply".to_owned()));
    assert!(fine > 100 && refused > 1_000, "{fine} fine, {refused} refused");
}
