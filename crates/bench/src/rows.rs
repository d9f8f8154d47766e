//! The rows of the benchmarks: what to run, the expected result, and published figures.
//!
//! A set is a TOML file in `bench/`. Similar rows form a group with common settings, which a row may override. A row
//! for several engines becomes one row for each, and the peers are run with the first. `{N}` in a name or in a peer's
//! flag stands for the row's value of `N`, `{engine}` for the engine. Published figures are kept as they were printed
//! (`< 0.1`, `–`), one per column of the set, and are never used in computations. `docs/benchmarks.md` describes
//! every field.

use std::collections::BTreeMap;

use serde::Deserialize;

use crate::files;

/// A set of rows.
pub(crate) struct Set {
    /// Its name on the command line.
    pub(crate) name: &'static str,
    /// Its title.
    pub(crate) title: String,
    /// The sources of published figures, one per column.
    pub(crate) published: Vec<String>,
    /// Its rows, in the order in which they are run.
    pub(crate) rows: Vec<Row>,
}

/// One row.
#[derive(Clone, Debug)]
pub(crate) struct Row {
    /// Its name, unique in its set.
    pub(crate) name: String,
    /// Its name without the engine.
    pub(crate) subject: String,
    /// What is run and measured.
    pub(crate) question: Question,
    /// The size of the state space, if it is known.
    pub(crate) states: Option<u64>,
    /// One figure per column of the set, as printed; empty where there is none.
    pub(crate) published: Vec<String>,
    /// Other programs that answer the same.
    pub(crate) peers: Vec<Peer>,
    /// A remark for readers of the figures.
    pub(crate) note: String,
}

/// The question of a row.
#[derive(Clone, Debug)]
pub(crate) enum Question {
    /// `fairly check`.
    Check(Check),
    /// `fairly automaton --negate`: how long it takes and how many states it has.
    Automaton(String),
}

/// A check, with its correct verdict.
#[derive(Clone, Debug)]
pub(crate) struct Check {
    /// A file of the repository.
    pub(crate) model: String,
    /// Values of constants and parameters; a parameter without a value stays open.
    pub(crate) settings: Vec<(String, i64)>,
    /// A property of the model.
    pub(crate) property: String,
    /// The value of `--fairness`.
    pub(crate) fairness: String,
    /// The value of `--engine`.
    pub(crate) engine: String,
    /// The values of `--engine-option`.
    pub(crate) options: Vec<String>,
    /// Whether the property holds.
    pub(crate) holds: bool,
}

/// Another program for the same question, and how it is run.
#[derive(Clone, Debug)]
pub(crate) enum Peer {
    /// SPIN explores the model.
    Spin(Spin),
    /// SPIN translates a formula.
    Translation(String),
    /// `NuSMV` checks the exported model.
    Nusmv { name: String, flags: Vec<String> },
}

/// SPIN with these flags.
#[derive(Clone, Debug)]
pub(crate) struct Spin {
    /// The name of this variant, if there are several.
    pub(crate) name: String,
    /// A model written by hand; otherwise the row's model is exported.
    pub(crate) promela: Option<String>,
    /// Flags of `spin` itself, in addition to the settings of the row.
    pub(crate) generate: Vec<String>,
    /// Flags of the C compiler.
    pub(crate) gcc: Vec<String>,
    /// Flags of the checker that SPIN generates.
    pub(crate) pan: Vec<String>,
    /// The first depth to try.
    pub(crate) depth: u64,
}

/// The names of the sets, in the order in which they are listed.
const SETS: [&str; 5] = ["pat", "explicit", "split", "counter", "infinite"];

/// All sets. Fails if a file of `bench/` has a mistake.
pub(crate) fn sets() -> Result<Vec<Set>, String> {
    let read = |name: &'static str| {
        let path = format!("bench/{name}.toml");
        set(name, &files::text(&path)?).map_err(|error| format!("{path}: {error}"))
    };
    SETS.into_iter().map(read).collect()
}

/// Whether a pattern selects a row. `*` stands for any text; a pattern without `*` may be any part of the name.
pub(crate) fn matches(pattern: &str, name: &str) -> bool {
    let (pattern, name) = (pattern.to_lowercase(), name.to_lowercase());
    let pieces: Vec<&str> = pattern.split('*').collect();
    let [first, middle @ .., last] = &pieces[..] else { return name.contains(&pattern) };
    let Some(mut rest) = name.strip_prefix(first) else { return false };
    for piece in middle {
        match rest.find(piece) {
            Some(at) => rest = &rest[at + piece.len()..],
            None => return false,
        }
    }
    rest.ends_with(last)
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct SetText {
    title: String,
    published: Vec<String>,
    group: Vec<GroupText>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct GroupText {
    name: String,
    model: Option<String>,
    property: Option<String>,
    fairness: Option<String>,
    engines: Option<Vec<String>>,
    expect: Option<Expect>,
    #[serde(default)]
    peers: Vec<PeerText>,
    rows: Vec<RowText>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RowText {
    #[serde(default)]
    set: BTreeMap<String, i64>,
    automaton: Option<String>,
    engines: Option<Vec<String>>,
    expect: Option<Expect>,
    states: Option<u64>,
    published: Option<Vec<String>>,
    peers: Option<Vec<PeerText>>,
    nfair: Option<u32>,
    #[serde(default)]
    note: String,
}

#[derive(Clone, Deserialize)]
#[serde(deny_unknown_fields)]
struct PeerText {
    name: Option<String>,
    promela: Option<String>,
    #[serde(default)]
    spin: Vec<String>,
    #[serde(default)]
    gcc: Vec<String>,
    #[serde(default)]
    pan: Vec<String>,
    depth: Option<u64>,
    translate: Option<String>,
    nusmv: Option<Vec<String>>,
}

#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Expect {
    Holds,
    Fails,
}

fn set(name: &'static str, text: &str) -> Result<Set, String> {
    let set: SetText = toml::from_str(text).map_err(|error| error.to_string())?;
    let mut rows = Vec::new();
    for group in &set.group {
        for text in &group.rows {
            let default = ["auto".to_owned()];
            let engines = text.engines.as_deref().or(group.engines.as_deref()).unwrap_or(&default);
            for (place, engine) in engines.iter().enumerate() {
                let mut row = row(group, text, engine, set.published.len())?;
                if place > 0 {
                    row.peers.clear();
                }
                if rows.iter().any(|known: &Row| known.name == row.name) {
                    return Err(format!("there are two rows `{}`", row.name));
                }
                rows.push(row);
            }
        }
    }
    Ok(Set { name, title: set.title, published: set.published, rows })
}

fn row(group: &GroupText, row: &RowText, engine: &str, columns: usize) -> Result<Row, String> {
    let mut values: Vec<(String, String)> =
        row.set.iter().map(|(name, value)| (format!("{{{name}}}"), value.to_string())).collect();
    values.extend(row.nfair.map(|value| ("{nfair}".to_owned(), value.to_string())));
    let with = |engine: &str, text: &str| {
        let text = text.replace("{engine}", engine);
        values.iter().fold(text, |text, (name, value)| text.replace(name, value))
    };
    let filled = |text: &str| with(engine, text);
    let (name, subject) = (filled(&group.name), with("auto", &group.name));
    let missing = |what: &str| format!("row `{name}` has no {what}");
    // `local local.symmetry=off`: the engine, and options for it.
    let mut words = engine.split_whitespace().map(str::to_owned);
    let question = match &row.automaton {
        Some(formula) => Question::Automaton(formula.clone()),
        None => Question::Check(Check {
            model: group.model.clone().ok_or_else(|| missing("model"))?,
            settings: row.set.clone().into_iter().collect(),
            property: group.property.clone().ok_or_else(|| missing("property"))?,
            fairness: group.fairness.clone().unwrap_or_else(|| "declared".to_owned()),
            engine: words.next().ok_or_else(|| missing("engine"))?,
            options: words.collect(),
            holds: matches!(
                row.expect.or(group.expect).ok_or_else(|| missing("expected verdict"))?,
                Expect::Holds
            ),
        }),
    };
    let published = row.published.clone().unwrap_or_else(|| vec![String::new(); columns]);
    if published.len() != columns {
        return Err(format!("row `{name}` has {} published figures for {columns} columns", published.len()));
    }
    let peers = row.peers.as_ref().unwrap_or(&group.peers).iter().map(|text| peer(text, &filled)).collect();
    Ok(Row { question, states: row.states, published, peers, note: row.note.clone(), name, subject })
}

fn peer(text: &PeerText, filled: &impl Fn(&str) -> String) -> Peer {
    /// The default depth of `pan`.
    const DEPTH: u64 = 10_000;
    if let Some(formula) = &text.translate {
        return Peer::Translation(formula.clone());
    }
    let flags = |flags: &[String]| flags.iter().map(|flag| filled(flag)).collect();
    if let Some(nusmv) = &text.nusmv {
        let name = text.name.clone().unwrap_or_else(|| "NuSMV".to_owned());
        return Peer::Nusmv { name, flags: flags(nusmv) };
    }
    Peer::Spin(Spin {
        name: text.name.clone().unwrap_or_default(),
        promela: text.promela.clone(),
        generate: flags(&text.spin),
        gcc: flags(&text.gcc),
        pan: flags(&text.pan),
        depth: text.depth.unwrap_or(DEPTH),
    })
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use driver::FairnessOption;

    use super::*;

    /// The models of rows must not name other files.
    fn no_files(file: &str) -> Result<String, String> {
        Err(format!("{file} is not read here"))
    }

    #[test]
    fn every_row_names_a_model_with_the_property_and_the_constants() {
        let sets = sets().expect("the sets are well-formed");
        assert!(sets.iter().all(|set| !set.rows.is_empty()));
        for row in sets.iter().flat_map(|set| &set.rows) {
            for peer in &row.peers {
                let Peer::Spin(spin) = peer else { continue };
                let known = spin.promela.as_ref().is_none_or(|path| files::text(path).is_ok());
                assert!(known, "{}: there is no {:?}", row.name, spin.promela);
            }
            let Question::Check(check) = &row.question else { continue };
            let text = files::text(&check.model);
            let text = text.unwrap_or_else(|error| panic!("{}: {error}", row.name));
            let settings: Vec<(String, String)> =
                check.settings.iter().map(|(name, value)| (name.clone(), value.to_string())).collect();
            let loaded = driver::load("model", &text, &settings, &no_files);
            assert!(loaded.diagnostics.is_empty(), "{}: {:?}", row.name, loaded.diagnostics);
            let model = loaded.model.unwrap_or_else(|| panic!("{} has no model", row.name));
            let property = std::slice::from_ref(&check.property);
            assert_eq!(driver::unknown_property(property, &[&model]), None, "{}", row.name);
            let fairness = FairnessOption::ALL.into_iter().any(|option| option.name() == check.fairness);
            assert!(fairness, "{}: there is no fairness `{}`", row.name, check.fairness);
            assert!(driver::Engines::named(&check.engine).is_ok(), "{}: {}", row.name, check.engine);
        }
    }

    #[test]
    fn every_file_of_the_folder_bench_is_a_set_or_is_named_by_a_row() {
        let mut named: BTreeSet<String> = SETS.map(|name| format!("bench/{name}.toml")).into();
        for row in sets().expect("the sets are well-formed").into_iter().flat_map(|set| set.rows) {
            if let Question::Check(check) = row.question {
                named.insert(check.model);
            }
            for peer in row.peers {
                if let Peer::Spin(spin) = peer {
                    named.extend(spin.promela);
                }
            }
        }
        let there = files::below("bench", "").expect("the folder bench");
        assert_eq!(there.iter().filter(|path| !named.contains(*path)).count(), 0, "{there:?}");
    }

    #[test]
    fn a_model_that_expects_a_verdict_expects_that_of_the_row() {
        for row in sets().expect("the sets are well-formed").iter().flat_map(|set| &set.rows) {
            let Question::Check(check) = &row.question else { continue };
            if check.fairness != "declared" {
                continue;
            }
            let settings: Vec<(String, String)> =
                check.settings.iter().map(|(name, value)| (name.clone(), value.to_string())).collect();
            let loaded =
                driver::load("model", &files::text(&check.model).unwrap_or_default(), &settings, &no_files);
            let model = loaded.model.expect("a model");
            let expected = model
                .checks
                .iter()
                .find(|known| known.task.property.name.to_string() == check.property)
                .and_then(|c| c.expected)
                .map(lang::Expect::holds);
            assert_eq!(expected, Some(check.holds), "{}", row.name);
        }
    }

    const SET: &str = "
        title = 't'
        published = ['PAT']
        [[group]]
        name = 'X({N}) weak'
        model = 'm.fair'
        property = 'p'
        fairness = 'weak'
        expect = 'holds'
        peers = [{ name = '-f', gcc = ['-DNFAIR={nfair}', '-DN={N}'] }]
        rows = [
            { set = { N = 3 }, published = ['< 0.1'], nfair = 7 },
            { set = { N = 4 }, expect = 'fails', peers = [] },
        ]";

    #[test]
    fn a_row_has_what_its_group_says_unless_it_says_otherwise() {
        let set = set("x", SET).expect("a set");
        let [three, four] = &set.rows[..] else { panic!("two rows") };
        assert_eq!((set.name, &three.name[..], &four.name[..]), ("x", "X(3) weak", "X(4) weak"));
        let holds = |row: &Row| matches!(&row.question, Question::Check(check) if check.holds);
        assert!(holds(three) && !holds(four));
        assert_eq!(
            (&three.published[..], &four.published[..]),
            (&["< 0.1".to_owned()][..], &[String::new()][..])
        );
        let Peer::Spin(spin) = &three.peers[0] else { panic!("SPIN") };
        assert_eq!(spin.gcc, ["-DNFAIR=7", "-DN=3"]);
        assert!(four.peers.is_empty());
    }

    #[test]
    fn several_engines_are_as_many_rows_and_the_peers_are_asked_with_the_first() {
        let engines =
            SET.replace("weak'\n        model", "{engine}'\n engines = ['symbolic', 'explicit']\n model");
        let engines = engines.replace("expect = 'fails', peers = []", "engines = ['symbolic']");
        let set = set("x", &engines).expect("a set");
        let rows: Vec<(&str, usize)> = set.rows.iter().map(|row| (&row.name[..], row.peers.len())).collect();
        assert_eq!(rows, [("X(3) symbolic", 1), ("X(3) explicit", 0), ("X(4) symbolic", 1)]);
        let asked = set.rows.iter().map(|row| match &row.question {
            Question::Check(check) => check.engine.as_str(),
            Question::Automaton(_) => "",
        });
        assert_eq!(asked.collect::<Vec<_>>(), ["symbolic", "explicit", "symbolic"]);
    }

    #[test]
    fn mistakes_in_a_set_are_told() {
        for (from, to, says) in [
            ("N = 4", "N = 3", "there are two rows `X(3) weak`"),
            ("['< 0.1']", "['1', '2']", "has 2 published figures for 1 columns"),
            ("property = 'p'", "", "row `X(3) weak` has no property"),
            ("'fails'", "'maybe'", "maybe"),
            ("nfair", "nfiar", "nfiar"),
        ] {
            let error = set("x", &SET.replace(from, to)).err().unwrap_or_default();
            assert!(error.contains(says), "{from}: {error}");
        }
    }

    #[test]
    fn a_pattern_is_a_part_of_the_name_or_has_stars() {
        for (pattern, meant) in [
            ("le_r(5)", true),
            ("LE_R", true),
            ("LE_R*global", true),
            ("*(5)*", true),
            ("*", true),
            ("", true),
            ("LE_R*weak", false),
            ("R*", false),
            ("LE_T", false),
            ("LE_R(5) global*global", false),
        ] {
            assert_eq!(matches(pattern, "LE_R(5) global"), meant, "{pattern}");
        }
    }
}
