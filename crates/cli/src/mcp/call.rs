//! A call of a tool: arguments in, data out, within limits. Everything is asked of the session.

use std::path::Path;
use std::time::{Duration, Instant};

use driver::FairnessOption;
use fairly::session::{
    Asked, Beginning, Bounds, Cancel, Document, Judged, Language, Obstacle, Saved, Session, Walk, Watch,
    replay, simulate,
};
use serde_json::{Map, Value};

use super::answer;
use super::tools::{Name, Tool};
use crate::limits::Limits;
use crate::sources::Source;

/// How long a call takes at most, unless it says otherwise.
const USUAL_TIME: Duration = Duration::from_secs(20);

/// The longest walk.
pub(super) const STEPS: u64 = 1000;

/// The longest model, in bytes.
const LONGEST: usize = 1 << 20;

/// The limits of all calls: the most time of one, and the limits of the command.
#[derive(Clone, Copy)]
pub(super) struct CallLimits {
    pub(super) time: Duration,
    pub(super) command: Limits,
}

/// Answers a call. A mistake in the arguments or the model is an answer too, marked as an error.
pub(super) fn call(
    tool: &Tool,
    arguments: &Value,
    limits: &CallLimits,
    session: &mut Session,
    cancel: &Cancel,
) -> Value {
    let result = match Call::read(tool.which, arguments, limits) {
        Ok(call) => call.answer(session, cancel),
        Err(message) => answer::bad_request(&message),
    };
    answer::packed(result)
}

/// How long a call with these arguments may take.
pub(super) fn time(arguments: &Value, limits: &CallLimits) -> Duration {
    let asked = arguments["time_limit"].as_f64().and_then(|it| Duration::try_from_secs_f64(it).ok());
    asked.unwrap_or(USUAL_TIME).min(limits.time)
}

/// A call whose arguments make sense.
struct Call<'a> {
    which: Name,
    arguments: &'a Map<String, Value>,
    document: Document,
    time: Duration,
    limits: &'a CallLimits,
}

impl<'a> Call<'a> {
    fn read(which: Name, given: &'a Value, limits: &'a CallLimits) -> Result<Call<'a>, String> {
        let Some(arguments) = given.as_object() else {
            return Err("`arguments` is an object".to_owned());
        };
        let known = super::schema::arguments(which);
        if let Some(other) = arguments.keys().find(|name| !known.contains(name)) {
            return Err(format!(
                "there is no argument `{other}`; those of this tool are {}",
                known.join(", ")
            ));
        }
        if arguments.get("time_limit").is_some_and(|number| !number.as_f64().is_some_and(|it| it > 0.0)) {
            return Err("`time_limit` is a number of seconds above 0".to_owned());
        }
        Ok(Call { which, arguments, document: document(arguments)?, time: time(given, limits), limits })
    }

    fn answer(&self, session: &mut Session, cancel: &Cancel) -> Value {
        if self.document.model().is_none() || self.which == Name::Diagnose {
            return answer::diagnosed(&self.document);
        }
        let (start, solvers) = (Instant::now(), self.limits.command.solvers());
        let clock = || start.elapsed();
        let bounds = Bounds { time: Some(self.time), memory: self.limits.command.memory, threads: 1 };
        let watch = Watch { clock: &clock, bounds, solvers: Some(&solvers), ..Watch::new(cancel) };
        let result = match self.which {
            Name::Diagnose => Ok(answer::diagnosed(&self.document)),
            Name::Check | Name::Explain => self.check(session, &watch),
            Name::Advise => self.advise(session, &watch),
            Name::Simulate => self.simulate(),
            Name::Replay => self.replay(&watch),
        };
        result.unwrap_or_else(|message| answer::bad_request(&message))
    }

    fn names(&self) -> Result<Vec<String>, String> {
        let Some(names) = self.arguments.get("properties") else { return Ok(Vec::new()) };
        let names = names.as_array().and_then(|names| {
            names.iter().map(|name| name.as_str().map(str::to_owned)).collect::<Option<Vec<String>>>()
        });
        names.ok_or_else(|| "`properties` is a list of names".to_owned())
    }

    fn check(&self, session: &mut Session, watch: &Watch<'_>) -> Result<Value, String> {
        let fairness = match self.arguments.get("fairness") {
            None => FairnessOption::Declared,
            Some(name) => {
                let found = FairnessOption::ALL.into_iter().find(|own| Some(own.name()) == name.as_str());
                let known = FairnessOption::ALL.map(FairnessOption::name).join(", ");
                found.ok_or_else(|| format!("`fairness` is one of {known}"))?
            }
        };
        let asked = Asked { properties: self.names()?, fairness, ..Asked::default() };
        let examined = session.examine(&self.document, &asked, self.which == Name::Explain, watch);
        Ok(answer::checked(&examined.map_err(|obstacle| in_words(&obstacle))?))
    }

    fn advise(&self, session: &mut Session, watch: &Watch<'_>) -> Result<Value, String> {
        let advice = session.advise(&self.document, &self.names()?, watch, &mut |_| {});
        Ok(answer::advised(&advice.map_err(|obstacle| in_words(&obstacle))?))
    }

    fn simulate(&self) -> Result<Value, String> {
        let number = |name: &str, default: u64| match self.arguments.get(name) {
            None => Ok(default),
            Some(number) => number.as_u64().ok_or_else(|| format!("`{name}` is a number, 0 or more")),
        };
        let choices = match self.arguments.get("choices") {
            None => Vec::new(),
            Some(choices) => {
                let numbers = choices.as_array().and_then(|all| {
                    all.iter().map(|one| one.as_u64().map(|one| one as usize)).collect::<Option<Vec<usize>>>()
                });
                numbers.ok_or("`choices` is a list of numbers, counted from 0")?
            }
        };
        let random = number("steps", 0)?;
        if random > STEPS || choices.len() as u64 > STEPS {
            return Err(format!("a walk has at most {STEPS} steps"));
        }
        let beginning = match number("initial", 0)? {
            0 => Beginning::Random,
            number => Beginning::Number(number as usize),
        };
        let walk = Walk { beginning, choices, random, seed: number("seed", 1)? };
        Ok(answer::walked(&simulate(&self.document, &walk)?))
    }

    fn replay(&self, watch: &Watch<'_>) -> Result<Value, String> {
        let property = self.arguments.get("property").and_then(Value::as_str);
        let property = property.ok_or("`property` is the name of a property")?;
        let run = self.arguments.get("run").ok_or("`run` is a run as `check` returns it")?;
        let saved: Saved = wire::saved::of_result(property.to_owned(), run)?;
        let judged: Judged = replay(&self.document, &saved, property, watch)?;
        Ok(answer::judged(&judged))
    }
}

fn in_words(obstacle: &Obstacle) -> String {
    obstacle.to_string()
}

/// The model that a call names.
fn document(arguments: &Map<String, Value>) -> Result<Document, String> {
    let settings = match arguments.get("set") {
        None => Vec::new(),
        Some(set) => {
            let set = set.as_object().ok_or("`set` is an object: {\"N\": 3}")?;
            set.iter().map(|(name, value)| (name.clone(), value.to_string())).collect()
        }
    };
    let text = |name: &str| match arguments.get(name) {
        None => Ok(None),
        Some(value) => value.as_str().map(Some).ok_or_else(|| format!("`{name}` is a text")),
    };
    let language = match text("language")? {
        None => None,
        Some(name) => Some(Language::of_ending(name).ok_or_else(|| {
            let known: Vec<&str> = Language::all().map(|(ending, _)| ending).collect();
            format!("`language` is one of {}", known.join(", "))
        })?),
    };
    match (text("text")?, text("file")?) {
        (Some(text), None) if text.len() > LONGEST => {
            Err(format!("the model has {} bytes; at most {LONGEST} are read", text.len()))
        }
        (Some(text), None) => {
            let none = |file: &str| {
                Err(format!("cannot read {file}: a model given as `text` has no folder; use `file`"))
            };
            Ok(Document::open_as(language.unwrap_or_default(), "model", text, &settings, &none))
        }
        (None, Some(file)) => {
            let source = inside(Path::new(file))?;
            if source.text.len() > LONGEST {
                return Err(format!("{file} has {} bytes; at most {LONGEST} are read", source.text.len()));
            }
            let beside = |name: &str| {
                let path = Path::new(file).with_file_name(name);
                inside(&path).map(|source| source.text)
            };
            let language = language.unwrap_or_else(|| Language::of_file(file));
            Ok(Document::open_as(language, &source.name(), &source.text, &settings, &beside))
        }
        _ => Err("give the model as `text`, or name a `file`, and not both".to_owned()),
    }
}

/// Reads a file that is in the folder of the program or below it.
fn inside(file: &Path) -> Result<Source, String> {
    let refused =
        || format!("{} is not in the folder of the server, and no other file is read", file.display());
    let folder = std::env::current_dir().and_then(std::fs::canonicalize).map_err(|_| refused())?;
    let missing =
        |_| format!("cannot read {}: there is no such file in {}", file.display(), folder.display());
    let path = std::fs::canonicalize(folder.join(file)).map_err(missing)?;
    if path.starts_with(&folder) { Source::read(&path) } else { Err(refused()) }
}
