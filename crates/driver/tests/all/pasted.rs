//! What advice and explanations print can be pasted back: conditions, premises and assumptions are accepted by the front
//! end.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use driver::explain::{Effect, Explanation, Failure, Fate, Waiting};
use driver::{Advice, Model, Options, World};
use model::StopReason;

static NO_SOLVERS: std::sync::LazyLock<driver::Solvers> =
    std::sync::LazyLock::new(|| driver::Solvers::none("none is needed"));

fn examples() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples")
}

/// The model of an example with more text and these settings, or what is wrong with it.
fn load(name: &str, settings: &[(String, String)], appended: &str) -> Result<Model, String> {
    let text = std::fs::read_to_string(examples().join(name)).expect("an example");
    let folder = examples().join(name).parent().expect("a folder").to_path_buf();
    let files = |file: &str| std::fs::read_to_string(folder.join(file)).map_err(|error| error.to_string());
    let loaded = driver::load(name, &(text + appended), settings, &files);
    loaded.model.ok_or_else(|| format!("{:?}", loaded.diagnostics))
}

/// What is printed of a property, as declarations.
#[derive(Default)]
struct Printed {
    declarations: Vec<String>,
}

impl Printed {
    fn condition(&mut self, text: &str) {
        self.declarations.push(format!("invariant pasted: {text};"));
    }

    fn formula(&mut self, text: &str) {
        self.declarations.push(format!("property pasted: {text};"));
    }

    fn assumption(&mut self, requirements: &[String]) {
        if !requirements.is_empty() {
            self.declarations.push(format!("property pasted: F true under {};", requirements.join(" & ")));
        }
    }

    fn failure(&mut self, failure: &Failure) {
        for process in &failure.processes {
            let waits: &[Waiting] = match &process.fate {
                Fate::Starves { waits, .. } | Fate::Outside { waits, .. } | Fate::Blocked(waits) => waits,
                Fate::Acts(_) | Fate::Rests(_) | Fate::Ended => &[],
            };
            waits.iter().flat_map(|waiting| &waiting.conditions).for_each(|text| self.condition(text));
        }
        let remedies = failure.remedies.as_ref();
        let enough = failure.enough.iter().chain(remedies.and_then(|it| it.enough.as_ref()));
        enough.for_each(|enough| self.assumption(&enough.set));
        let Some(remedies) = remedies else { return };
        let single = remedies.weakest.iter().chain(&remedies.conditions).chain(&remedies.environment);
        for remedy in single.chain(&remedies.choice) {
            self.assumption(std::slice::from_ref(&remedy.text));
        }
        let effects = remedies.effects.iter().map(|(_, effect)| effect);
        for effect in effects.chain(remedies.weakest.iter().map(|remedy| &remedy.effect)) {
            if let Effect::Vacuous(premise) = effect {
                self.formula(premise);
            }
        }
    }

    fn advice(&mut self, advice: &Advice) {
        let sets =
            advice.minimal.iter().chain(&advice.addition).chain(&advice.for_family).chain(&advice.beside);
        let sets = sets.chain(&advice.if_it_ends);
        sets.for_each(|set| self.assumption(set));
        let surplus = &advice.surplus;
        self.assumption(&surplus.superfluous);
        self.assumption(&surplus.together);
        self.assumption(surplus.shorter.as_slice());
        surplus.too_strong.iter().for_each(|(a, b)| self.assumption(&[a.clone(), b.clone()]));
        advice.vacuous.iter().for_each(|(_, premise)| self.formula(premise));
        self.assumption(std::slice::from_ref(&advice.declared));
    }

    /// Loads the model again with each declaration.
    fn paste(&self, name: &str, settings: &[(String, String)]) -> usize {
        let mut tried: Vec<&String> = Vec::new();
        for declaration in &self.declarations {
            if !tried.contains(&declaration) {
                tried.push(declaration);
                if let Err(wrong) = load(name, settings, &format!("\n{declaration}")) {
                    panic!("{name}: {declaration}\n{wrong}");
                }
            }
        }
        tried.len()
    }
}

/// The values of parameters in a scope: `N = 4, i = 1`.
fn settings(model: &Model, scope: &str) -> Vec<(String, String)> {
    let values = scope.split(", ").filter_map(|part| part.split_once(" = "));
    let is_open = |name: &str| model.system().parameters.iter().any(|parameter| parameter.name == name);
    values.filter(|(name, _)| is_open(name)).map(|(k, v)| (k.to_owned(), v.to_owned())).collect()
}

#[test]
fn what_advice_and_explanations_print_can_be_pasted_back() {
    let mut names: Vec<String> = Vec::new();
    for folder in ["", "protocols", "counter"] {
        for entry in std::fs::read_dir(examples().join(folder)).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.extension().is_some_and(|extension| extension == "fair") {
                names.push(path.strip_prefix(examples()).expect("inside").to_string_lossy().into_owned());
            }
        }
    }
    names.sort();
    let (mut pasted, mut lengths, mut sizes) = (0, 0, 0);
    for name in &names {
        let start = Instant::now();
        let stop = || (start.elapsed() > Duration::from_secs(3)).then_some(StopReason::Time);
        let world = World { memory: 4 << 30, solvers: &NO_SOLVERS, stop: &stop, ..World::unlimited() };
        let model = load(name, &[], "").expect("a model");
        let options = Options { explain: true, without_notes: true, ..Options::default() };
        if let Ok(report) = driver::check(&model, &options, &world, &mut |_, _| {}) {
            for outcome in &report.outcomes {
                let mut printed = Printed::default();
                match &outcome.explanation {
                    Some(Explanation::Fails(failure)) => printed.failure(failure),
                    Some(Explanation::Holds(support)) => {
                        let dropped = support.dropped.iter().map(|dropped| dropped.requirement.clone());
                        dropped.for_each(|one| printed.assumption(&[one]));
                    }
                    None => {}
                }
                let texts = printed.declarations.concat();
                lengths += usize::from(texts.contains("len("));
                sizes += usize::from(texts.contains('|') && texts.contains("in "));
                pasted += printed.paste(name, &settings(&model, &outcome.scope));
            }
        }
        let start = Instant::now();
        let stop = || (start.elapsed() > Duration::from_secs(3)).then_some(StopReason::Time);
        let world = World { stop: &stop, ..world };
        let wanted = driver::advise::Wanted::sets(3);
        if let Ok(all) = driver::advise(&model, &Options::default(), &wanted, None, &world, &mut |_, _| {}) {
            for advice in &all {
                let mut printed = Printed::default();
                printed.advice(advice);
                pasted += printed.paste(name, &[]);
            }
        }
    }
    assert!(pasted > 300 && lengths > 3, "{pasted} pasted, {lengths} with lengths, {sizes} with sizes");
}
