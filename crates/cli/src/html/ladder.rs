//! The two tables at the top: the verdicts, and the ladder of fairness kinds.

use std::fmt::Write;

use driver::advise::RUNGS;
use driver::{Advice, FairnessOption, Name, Outcome, Verdict};

use super::{anchor, code, mark, sign};
use crate::markup::escaped;

/// A row per property, with a link to its section.
pub(super) fn verdicts(outcomes: &[Outcome], model: usize) -> String {
    let mut text = "<div class=\"scroll\"><table class=\"verdicts\">\n<caption>Results</caption>\n\
         <thead><tr><th scope=\"col\">Answer</th><th scope=\"col\">Property</th><th scope=\"col\">Claim</th>\
         <th scope=\"col\">Assuming</th></tr></thead>\n<tbody>\n"
        .to_owned();
    let places: Vec<usize> = (0..outcomes.len()).collect();
    // Members of a family with the same answer under the same fairness share a row; each has its section.
    let alike = |a: &usize, b: &usize| {
        let (a, b) = (&outcomes[*a], &outcomes[*b]);
        a.property.family == b.property.family && sign(a) == sign(b) && a.fairness == b.fairness
    };
    for members in places.chunk_by(alike) {
        let outcome = &outcomes[members[0]];
        let (sign, class, expectation) = sign(outcome);
        let link = |place: usize, name: &str| {
            format!("<a href=\"#{}\">{}</a>", anchor(model, place), breakable(name))
        };
        let whole = |place: usize| link(place, &outcomes[place].property.to_string());
        let index = |place: usize| link(place, &index_of(&outcomes[place].property));
        let names = match members {
            [] => String::new(),
            [one] => whole(*one),
            [first, second] => format!("{}, {}", whole(*first), index(*second)),
            [first, .., last] => format!("{} … {}", whole(*first), index(*last)),
        };
        // Writing to a string does not fail, here and below.
        let _ = writeln!(
            text,
            "<tr><td class=\"{class}\"><b aria-hidden=\"true\">{sign}</b> {} <small>{expectation}</small></td>\
             <th scope=\"row\">{names}</th><td><code>{}</code></td><td><code>{}</code></td></tr>",
            outcome.verdict.name(),
            code(&outcome.claim),
            code(&outcome.fairness),
        );
    }
    text + "</tbody></table></div>\n"
}

/// The ladder: a row per property, a column per kind of fairness. Empty if nothing is known.
pub(super) fn table(advice: &[Advice]) -> String {
    if advice.is_empty() {
        return String::new();
    }
    let mut text = "<div class=\"scroll\"><table class=\"ladder\">\n<caption>Under which fairness it holds \
         <small>each column assumes it of every process or every action; the last is what the model declares</small>\
         </caption>\n<thead><tr><td></td>"
        .to_owned();
    for rung in RUNGS {
        let class = if rung == FairnessOption::Declared { " class=\"apart\"" } else { "" };
        let _ = write!(text, "<th scope=\"col\"{class}>{}</th>", rung.name());
    }
    text += "</tr></thead>\n<tbody>\n";
    // Members of a family with the same verdicts share a row.
    for alike in advice.chunk_by(|a, b| family(a) == family(b) && a.ladder == b.ladder) {
        let (advice, last) = (&alike[0], &alike[alike.len() - 1]);
        let name = match alike.len() {
            1 => advice.property.to_string(),
            2 => format!("{}, {}", advice.property, index_of(&last.property)),
            _ => format!("{} … {}", advice.property, index_of(&last.property)),
        };
        let _ = write!(text, "<tr><th scope=\"row\">{}</th>", breakable(&name));
        for (rung, verdict) in RUNGS.iter().zip(advice.ladder.verdicts) {
            let apart = if *rung == FairnessOption::Declared { " apart" } else { "" };
            let class = match verdict {
                Verdict::Holds => "yes",
                Verdict::Fails => "no",
                Verdict::Unknown => "open",
            };
            let _ = write!(
                text,
                "<td class=\"{class}{apart}\"><span title=\"{}\">{}</span></td>",
                verdict.name(),
                mark(verdict)
            );
        }
        text += "</tr>\n";
    }
    text + "</tbody></table></div>\n"
}

/// A name that is broken after underscores, if it is too long for its line.
fn breakable(name: &str) -> String {
    escaped(name).replace('_', "_<wbr>")
}

/// What tells a member of a family from the others: `[3]`.
fn index_of(name: &Name) -> String {
    name.to_string()[name.family.len()..].to_owned()
}

fn family(advice: &Advice) -> &str {
    &advice.property.family
}
