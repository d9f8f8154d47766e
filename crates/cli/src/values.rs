//! Values on the command line: settings, sizes, times, names of engines and of fairness. Each is read here, with a message
//! that says how to write it.

use std::time::Duration;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use driver::{Certify, EngineKind, EngineOption, FairnessOption};

pub(crate) fn engine_help() -> String {
    format!(
        "Use this engine: auto, {}, all; `auto` asks them in turn until one decides, `all` every one, \
         and they must agree",
        EngineKind::ALL.map(EngineKind::name).join(", ")
    )
}

pub(crate) fn engine_option_help() -> String {
    format!("Tell an engine how to work: {}", EngineOption::listed())
}

pub(crate) fn fairness() -> impl TypedValueParser<Value = FairnessOption> {
    let names = FairnessOption::ALL.map(FairnessOption::name);
    PossibleValuesParser::new(names)
        .map(|name| FairnessOption::ALL.into_iter().find(|option| option.name() == name).unwrap_or_default())
}

pub(crate) fn certify() -> impl TypedValueParser<Value = Certify> {
    PossibleValuesParser::new(Certify::ALL.map(Certify::name))
        .map(|name| Certify::ALL.into_iter().find(|certify| certify.name() == name).unwrap_or_default())
}

pub(crate) fn setting(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((name, value)) if !name.trim().is_empty() && !value.trim().is_empty() => {
            Ok((name.trim().to_owned(), value.trim().to_owned()))
        }
        _ => Err("write it as NAME=VALUE, for example N=3".to_owned()),
    }
}

/// The choice of an initial state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum InitialState {
    /// The state of this number.
    Number(usize),
    /// A state in which this name has this value.
    Value(String, String),
}

pub(crate) fn initial_state(text: &str) -> Result<InitialState, String> {
    if let Ok(number) = text.trim().parse() {
        return Ok(InitialState::Number(number));
    }
    let parts = match (text.split_once('='), text.split_once('@')) {
        (Some((name, value)), _) => (name.trim().to_owned(), value.trim().to_owned()),
        (None, Some((process, location))) if !process.trim().is_empty() => {
            (format!("{}@", process.trim()), location.trim().to_owned())
        }
        _ => (String::new(), String::new()),
    };
    if parts.0.is_empty() || parts.1.is_empty() {
        return Err("write a number, or a value as in x=1, or a location as in P[1]@try".to_owned());
    }
    Ok(InitialState::Value(parts.0, parts.1))
}

pub(crate) fn seconds(text: &str) -> Result<Duration, String> {
    let number = text.parse::<f64>().ok().filter(|number| *number >= 0.0);
    number
        .and_then(|number| Duration::try_from_secs_f64(number).ok())
        .ok_or_else(|| "write a number of seconds, for example 60 or 0.5".to_owned())
}

pub(crate) fn size(text: &str) -> Result<u64, String> {
    let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let unit = match text[digits.len()..].to_ascii_lowercase().as_str() {
        "" | "b" => Some(1),
        "k" | "kib" => Some(1u64 << 10),
        "m" | "mib" => Some(1 << 20),
        "g" | "gib" => Some(1 << 30),
        "t" | "tib" => Some(1 << 40),
        "kb" => Some(1_000),
        "mb" => Some(1_000_000),
        "gb" => Some(1_000_000_000),
        "tb" => Some(1_000_000_000_000),
        _ => None,
    };
    let number = digits.trim().parse::<f64>().ok().filter(|number| number.is_finite() && *number >= 0.0);
    match (number, unit) {
        // A product beyond 64 bits saturates, which means no limit.
        (Some(number), Some(unit)) => Ok((number * unit as f64) as u64),
        _ => Err("write a size, for example 4GiB, 500M or 1.5G".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_read_with_their_units() {
        assert_eq!(size("4GiB"), Ok(4 << 30));
        assert_eq!(size("4g"), Ok(4 << 30));
        assert_eq!(size("500M"), Ok(500 << 20));
        assert_eq!(size("500MB"), Ok(500_000_000));
        assert_eq!(size("1.5k"), Ok(1536));
        assert_eq!(size("64"), Ok(64));
        for bad in ["", "G", "4X", "-1", "4 4", "nan", "inf", "1e", "ü"] {
            assert!(size(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn seconds_may_have_decimals_but_no_sign() {
        assert_eq!(seconds("0.25"), Ok(Duration::from_millis(250)));
        assert_eq!(seconds("60"), Ok(Duration::from_mins(1)));
        for bad in ["", "-1", "soon", "nan", "inf", "1e300"] {
            assert!(seconds(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn an_initial_state_is_a_number_a_value_or_a_location() {
        let value = |name: &str, text: &str| Ok(InitialState::Value(name.to_owned(), text.to_owned()));
        assert_eq!(initial_state("3"), Ok(InitialState::Number(3)));
        assert_eq!(initial_state("f[1] = 2"), value("f[1]", "2"));
        assert_eq!(initial_state("P[1]@try"), value("P[1]@", "try"));
        for bad in ["", "x", "=1", "x=", "@try", "P@"] {
            assert!(initial_state(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn a_setting_has_a_name_and_a_value() {
        assert_eq!(setting("N=3"), Ok(("N".to_owned(), "3".to_owned())));
        for bad in ["N", "=3", "N=", ""] {
            assert!(setting(bad).is_err(), "{bad}");
        }
    }
}
