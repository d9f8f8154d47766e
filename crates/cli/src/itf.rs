//! Writes counterexamples as files in the Informal Trace Format.

use std::fs;
use std::path::Path;

use driver::{Outcome, Report};
use wire::itf;

/// Writes a file per counterexample into a folder or, if the name ends in `.json`, the only one into that file.
/// Returns a message if that fails.
pub(crate) fn write(place: &Path, reports: &[(&str, Report)]) -> Result<(), String> {
    let traces: Vec<(String, String)> =
        reports.iter().flat_map(|(path, report)| of_report(path, report)).collect();
    let written = |path: &Path, text: &str| {
        fs::write(path, text).map_err(|error| format!("cannot write {}: {error}", path.display()))
    };
    if Path::new(place).extension().is_some_and(|extension| extension == "json") {
        return match &traces[..] {
            [] => Ok(()),
            [(_, text)] => written(Path::new(place), text),
            several => Err(format!(
                "there are {} counterexamples, too many for {}: name a folder, or choose a --property",
                several.len(),
                place.display()
            )),
        };
    }
    fs::create_dir_all(place)
        .map_err(|error| format!("cannot make the folder {}: {error}", place.display()))?;
    let mut names: Vec<String> = Vec::new();
    for (name, text) in traces {
        // Models in different folders may have the same name.
        let mut unique = name.clone();
        let mut number = 2;
        while names.contains(&unique) {
            unique = format!("{name}.{number}");
            number += 1;
        }
        written(&Path::new(place).join(format!("{unique}.itf.json")), &text)?;
        names.push(unique);
    }
    Ok(())
}

/// The counterexamples of a report, each with a name for its file.
fn of_report(path: &str, report: &Report) -> Vec<(String, String)> {
    let stem = Path::new(path)
        .file_stem()
        .map_or_else(|| path.to_owned(), |stem| stem.to_string_lossy().into_owned());
    let traced = |outcome: &Outcome| {
        let text = itf::of_outcome(path, outcome)?;
        Some((file_name(&format!("{stem}.{}", outcome.property)), text))
    };
    report.outcomes.iter().filter_map(traced).collect()
}

/// A name of letters, digits and a few signs: `access[1]` becomes `access.1`.
fn file_name(name: &str) -> String {
    let plain = |c: char| if c.is_alphanumeric() || c == '_' || c == '-' { c } else { '.' };
    let name: String = name.chars().map(plain).collect();
    let parts: Vec<&str> = name.split('.').filter(|part| !part.is_empty()).collect();
    parts.join(".")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_named_after_model_and_property() {
        assert_eq!(file_name("mux.access[1]"), "mux.access.1");
        assert_eq!(file_name("a b/c.live"), "a.b.c.live");
    }
}
