//! Which properties a name means: `access` all members of the family, `access[1]` one.

use lang::diagnostic::nearest;
use lang::{Check, Model};

/// Whether a property is meant by one of the names; an empty list of names means all.
pub fn selected(names: &[String], property: &str) -> bool {
    names.is_empty() || names.iter().any(|name| name == property || name == family(property))
}

/// A sentence about the first name that means no property of any of the models, if there is one.
pub fn unknown_property(names: &[String], models: &[&Model]) -> Option<String> {
    let checks = || models.iter().flat_map(|model| &model.checks);
    let unknown = names
        .iter()
        .find(|name| !checks().any(|check| selected(std::slice::from_ref(name), property(check))))?;
    let candidates = checks().flat_map(|check| [property(check), family(property(check))]);
    let suggestion = nearest(unknown, candidates)
        .map_or_else(|| listed(checks()), |near| format!("did you mean `{near}`?"));
    Some(format!("there is no property `{unknown}`; {suggestion}"))
}

/// Which properties there are; of very many, the first.
fn listed<'a>(checks: impl Iterator<Item = &'a Check>) -> String {
    let mut known: Vec<&str> = Vec::new();
    for name in checks.map(|check| family(property(check))) {
        if !known.contains(&name) {
            known.push(name);
        }
    }
    match known.len() {
        0 => "no property is declared".to_owned(),
        1..=20 => format!("there are {}", known.join(", ")),
        _ => format!("there are {}, …", known[..20].join(", ")),
    }
}

/// The name of the family a member belongs to; a property without members is its own family.
fn family(property: &str) -> &str {
    property.split('[').next().unwrap_or(property)
}

fn property(check: &Check) -> &str {
    &check.task.property.name
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_means_a_family_or_one_member() {
        let names = |name: &str| vec![name.to_owned()];
        assert!(selected(&names("access"), "access[1]"));
        assert!(selected(&names("access[1]"), "access[1]"));
        assert!(!selected(&names("access[1]"), "access[2]"));
        assert!(!selected(&names("acc"), "access[1]"));
        assert!(selected(&[], "anything"));
    }
}
