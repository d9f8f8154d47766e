//! A fairness assumption as people write it: `strong all` where each action is listed with this word, and `weak
//! processes` where each process is. Lists of one or two stay as they are.

use model::fairness::Word;
use model::{Assumption, Fairness, Requirement, System};

use super::plain;

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
        .filter(|(_, all)| all.len() > 2)
        .collect();
    let alternative = |Assumption { requirements, global }: &Assumption| {
        let listed = |all: &[Requirement]| all.iter().all(|one| requirements.contains(one));
        let whole: Vec<_> = kinds.iter().filter(|(_, all)| listed(all)).collect();
        let mut parts: Vec<String> = Vec::new();
        for one in requirements {
            let kind = whole.iter().find(|(_, all)| all.contains(one));
            let part = kind.map_or_else(|| plain::requirement(system, one), |(name, _)| name.clone());
            // Two actions with one label are written once.
            if !parts.contains(&part) {
                parts.push(part);
            }
        }
        parts.extend(global.then(|| "global".to_owned()));
        if parts.is_empty() { "none".to_owned() } else { parts.join(" & ") }
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
            "weak all & strong P[1]",
            "weak P.a & weak P.b",
            "unconditional all & global",
            "none",
            "strong all | weak P[2]",
            "weak P",
            "weak P & weak Q",
            "justice (x) & weak all",
        ] {
            assert_eq!(shown(text), text);
        }
        assert_eq!(shown("weak Q.c & weak P.b & weak P.a"), "weak all");
    }
}
