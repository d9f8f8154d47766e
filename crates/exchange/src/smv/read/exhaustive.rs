//! Whether conditions can be true together, by trying all values of the variables that they mention.

use std::collections::BTreeMap;

use super::core::{Binary, Core, Kind, Unary, Variable};
use super::flat::{Domain, Flat, Value};

/// How many combinations of values are tried.
const TRIED: u64 = 1 << 14;

/// A variable now, or its next value.
type Place = (Variable, bool);

#[derive(Clone, Debug, PartialEq, Eq)]
enum Known {
    Truth(bool),
    One(Value),
}

/// Whether these conditions are never true together. If it says no, they may be.
pub(super) fn is_impossible(flat: &Flat, conditions: &[Core]) -> bool {
    let mut places = BTreeMap::new();
    let mut combinations = 1u64;
    for condition in conditions {
        let mentions = flat.mentions(condition);
        let now = mentions.now.into_iter().map(|variable| (variable, false));
        for place in now.chain(mentions.later.into_iter().map(|variable| (variable, true))) {
            if let std::collections::btree_map::Entry::Vacant(entry) = places.entry(place) {
                let Some(values) = values(&flat.variables[place.0].domain) else { return false };
                combinations = combinations.saturating_mul(values.len() as u64);
                if combinations > TRIED {
                    return false;
                }
                entry.insert(values);
            }
        }
    }
    let places: Vec<(Place, Vec<Known>)> = places.into_iter().collect();
    (0..combinations).all(|number| {
        let mut rest = number;
        let mut state = BTreeMap::new();
        for (place, values) in &places {
            state.insert(*place, values[(rest % values.len() as u64) as usize].clone());
            rest /= values.len() as u64;
        }
        conditions.iter().any(|condition| evaluate(flat, condition, &state) == Some(Known::Truth(false)))
    })
}

fn values(domain: &Domain) -> Option<Vec<Known>> {
    let number = |value| Known::One(Value::Number(value));
    match domain {
        Domain::Bool => Some(vec![Known::Truth(false), Known::Truth(true)]),
        Domain::Numbers(values) => Some(values.iter().copied().map(number).collect()),
        Domain::Range(lo, hi) if hi - lo < TRIED as i64 => Some((*lo..=*hi).map(number).collect()),
        Domain::Symbols(values) => Some(values.iter().cloned().map(Known::One).collect()),
        _ => None,
    }
}

fn evaluate(flat: &Flat, core: &Core, state: &BTreeMap<Place, Known>) -> Option<Known> {
    let of = |part: &Core| evaluate(flat, part, state);
    let truth = |part: &Core| if let Some(Known::Truth(truth)) = of(part) { Some(truth) } else { None };
    let number = |part: &Core| {
        if let Some(Known::One(Value::Number(number))) = of(part) { Some(number) } else { None }
    };
    match &core.kind {
        Kind::Bool(truth) => Some(Known::Truth(*truth)),
        Kind::Int(value) => Some(Known::One(Value::Number(*value))),
        Kind::Symbol(name) => Some(Known::One(Value::Symbol(name.clone()))),
        Kind::Read(variable) => state.get(&(*variable, false)).cloned(),
        Kind::Later(variable) => state.get(&(*variable, true)).cloned(),
        Kind::Define(define) => of(&flat.defines[*define].body),
        Kind::Unary(Unary::Not, a) => Some(Known::Truth(!truth(a)?)),
        Kind::Unary(Unary::Neg, a) => Some(Known::One(Value::Number(number(a)?.checked_neg()?))),
        Kind::And(parts) | Kind::Or(parts) => {
            let stop = matches!(core.kind, Kind::Or(_));
            let known: Vec<Option<bool>> = parts.iter().map(truth).collect();
            if known.contains(&Some(stop)) {
                return Some(Known::Truth(stop));
            }
            known.iter().all(Option::is_some).then_some(Known::Truth(!stop))
        }
        Kind::If(c, a, b) => {
            if truth(c)? {
                of(a)
            } else {
                of(b)
            }
        }
        Kind::Set(parts) if parts.len() == 1 => of(&parts[0]),
        Kind::Binary(operator, a, b) => Some(match operator {
            Binary::Implies => Known::Truth(!truth(a)? || truth(b)?),
            Binary::Iff => Known::Truth(truth(a)? == truth(b)?),
            Binary::Xor => Known::Truth(truth(a)? != truth(b)?),
            Binary::Eq => Known::Truth(of(a)? == of(b)?),
            Binary::Ne => Known::Truth(of(a)? != of(b)?),
            Binary::Lt => Known::Truth(number(a)? < number(b)?),
            Binary::Gt => Known::Truth(number(a)? > number(b)?),
            Binary::Le => Known::Truth(number(a)? <= number(b)?),
            Binary::Ge => Known::Truth(number(a)? >= number(b)?),
            Binary::Add => Known::One(Value::Number(number(a)?.checked_add(number(b)?)?)),
            Binary::Sub => Known::One(Value::Number(number(a)?.checked_sub(number(b)?)?)),
            Binary::Mul => Known::One(Value::Number(number(a)?.checked_mul(number(b)?)?)),
            Binary::Div => Known::One(Value::Number(number(a)?.checked_div(number(b)?)?)),
            Binary::Mod => Known::One(Value::Number(number(a)?.checked_rem(number(b)?)?)),
            Binary::In => {
                let a = of(a)?;
                Known::Truth(among(flat, b, state)?.contains(&a))
            }
            _ => return None,
        }),
        _ => None,
    }
}

/// The values of a set.
fn among(flat: &Flat, core: &Core, state: &BTreeMap<Place, Known>) -> Option<Vec<Known>> {
    match &core.kind {
        Kind::Set(parts) => {
            let parts: Option<Vec<Vec<Known>>> = parts.iter().map(|part| among(flat, part, state)).collect();
            Some(parts?.concat())
        }
        Kind::Range(lo, hi) => Some((*lo..=*hi).map(|value| Known::One(Value::Number(value))).collect()),
        Kind::Binary(Binary::Union, a, b) => Some([among(flat, a, state)?, among(flat, b, state)?].concat()),
        _ => Some(vec![evaluate(flat, core, state)?]),
    }
}
