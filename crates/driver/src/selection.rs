//! Which properties are selected by name: `access` selects all members of the family, `access[1]` one of them. Names are
//! only compared here; [`model::Name`] writes them.

use lang::diagnostic::nearest;
use lang::{Check, Model};
use model::Name;

/// Whether one of the names selects a property. An empty list selects all.
pub fn selected(names: &[String], property: &Name) -> bool {
    names.is_empty() || names.iter().any(|name| *name == property.family || *name == property.to_string())
}

/// A message about the first name that selects no property of any of the models, if there is one.
pub fn unknown_property(names: &[String], models: &[&Model]) -> Option<String> {
    let checks = || models.iter().flat_map(|model| &model.checks);
    let unknown = names
        .iter()
        .find(|name| !checks().any(|check| selected(std::slice::from_ref(name), property(check))))?;
    let members: Vec<String> = checks().map(|check| property(check).to_string()).collect();
    let families = checks().map(|check| property(check).family.as_str());
    let suggestion = nearest(unknown, members.iter().map(String::as_str).chain(families))
        .map_or_else(|| listed(checks()), |near| format!("did you mean `{near}`?"));
    Some(format!("there is no property `{unknown}`; {suggestion}"))
}

/// The names of the properties; if there are very many, the first ones.
fn listed<'a>(checks: impl Iterator<Item = &'a Check>) -> String {
    let mut known: Vec<&str> = Vec::new();
    for name in checks.map(|check| property(check).family.as_str()) {
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

fn property(check: &Check) -> &Name {
    &check.task.property.name
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_means_a_family_or_one_member() {
        let names = |name: &str| vec![name.to_owned()];
        let first = Name::from("access").member(&[1]);
        assert!(selected(&names("access"), &first));
        assert!(selected(&names("access[1]"), &first));
        assert!(!selected(&names("access[1]"), &Name::from("access").member(&[2])));
        assert!(!selected(&names("acc"), &first));
        assert!(selected(&[], &Name::from("anything")));
    }
}
