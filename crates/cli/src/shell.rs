//! Commands to type, as they are suggested: with the same settings, and quoted for the shell.

/// A command of this program for a file: `fairly advise lock.fair --set N=3`.
pub(crate) fn command(name: &str, path: &str, settings: &[(String, String)]) -> String {
    let settings =
        settings.iter().map(|(name, value)| format!(" --set {}", quoted(&format!("{name}={value}"))));
    format!("fairly {name} {}{}", quoted(path), settings.collect::<String>())
}

/// An argument in single quotes, if the shell would change it otherwise.
pub(crate) fn quoted(argument: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || "_-+=./,:@%".contains(c);
    if !argument.is_empty() && argument.chars().all(plain) {
        argument.to_owned()
    } else {
        format!("'{}'", argument.replace('\'', r"'\''"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_argument_that_the_shell_would_change_is_quoted() {
        assert_eq!(quoted("lock.fair"), "lock.fair");
        assert_eq!(quoted("enters[1]"), "'enters[1]'");
        assert_eq!(quoted("it's"), r"'it'\''s'");
        assert_eq!(quoted(""), "''");
    }

    #[test]
    fn settings_are_part_of_the_command() {
        let settings = [("N".to_owned(), "3".to_owned()), ("M".to_owned(), "a b".to_owned())];
        assert_eq!(
            command("advise", "my lock.fair", &settings),
            "fairly advise 'my lock.fair' --set N=3 --set 'M=a b'"
        );
    }
}
