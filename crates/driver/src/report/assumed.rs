//! A fairness assumption as people write it: `strong all` where each action is listed with this word, and `weak
//! processes` where each process is.

use model::fairness::Word;
use model::{Assumption, Fairness, Requirement, System, show};

/// The text of an assumption.
pub fn assumed(system: &System, fairness: &Fairness) -> String {
    let kinds = [Word::Weak, Word::Strong, Word::Unconditional].into_iter().flat_map(|word| {
        [
            (format!("{} all", word.name()), Fairness::every_action(system, word)),
            (format!("{} processes", word.name()), Fairness::every_process(system, word)),
        ]
    });
    let kinds: Vec<(String, Vec<Requirement>)> = kinds
        .filter_map(|(name, mut all)| Some((name, all.alternatives.pop()?.requirements)))
        .filter(|(_, all)| all.len() > 1)
        .collect();
    let alternative = |Assumption { requirements, global }: &Assumption| {
        let mut rest = requirements.clone();
        let mut names: Vec<&str> = Vec::new();
        for (name, all) in &kinds {
            if all.iter().all(|one| rest.contains(one)) {
                rest.retain(|one| !all.contains(one));
                names.push(name);
            }
        }
        let others = Assumption { requirements: rest, global: *global };
        if others.requirements.is_empty() && !global && !names.is_empty() {
            return names.join(" & ");
        }
        let others = show::fairness(system, &Fairness { alternatives: vec![others] });
        names.into_iter().chain([others.as_str()]).collect::<Vec<_>>().join(" & ")
    };
    fairness.alternatives.iter().map(alternative).collect::<Vec<_>>().join(" | ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fairness_of_everything_is_said_in_two_words() {
        let world = "shared x: bool; process P[i: 1..2] { loop { a: x = !x; b: skip; } } process Q { loop { c: skip; } }";
        let shown = |under: &str| {
            let text = format!("{world} property p: G F x under {under};");
            let model = lang::load("test", &text, &[]).model.expect("a model");
            assumed(model.system(), &model.checks[0].task.fairness)
        };
        for text in [
            "strong all",
            "weak processes",
            "weak all & strong P[1]",
            "weak P.a & weak P.b",
            "unconditional all & global",
            "none",
            "strong all | weak processes",
            "weak P",
        ] {
            assert_eq!(shown(text), text);
        }
        assert_eq!(shown("weak P & weak Q"), "weak processes");
        assert_eq!(shown("weak Q.c & weak P.b & weak P.a"), "weak all");
    }
}
