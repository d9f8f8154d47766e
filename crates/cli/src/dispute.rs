//! Writes disputes to files, so that they can be reported: answers that disagree, and evidence that the judge
//! refused.

use std::fs::OpenOptions;
use std::io::{self, Write};
use std::path::Path;

use crate::screen::{complain, remark};
use crate::sources::Source;

/// Writes a dispute about a property to a new file in a folder, and tells the user where it is.
pub(crate) fn write_down(folder: &Path, source: &Source, property: &str, details: &str) {
    let content = format!("{details}\nsource {}\n\n{}", source.path, source.text);
    match write(folder, &stem(source, property), &content) {
        Ok(path) => complain(&format!("this is an error in Fairly; please report it with the file {path}")),
        Err(error) => {
            complain(&format!("this is an error in Fairly, and no file can be written about it: {error}"));
            remark(&content);
        }
    }
}

fn stem(source: &Source, property: &str) -> String {
    let clean = |text: &str| text.replace(|c: char| !c.is_ascii_alphanumeric(), "_");
    format!("fairly-disagreement-{}-{}", clean(&source.name()), clean(property))
}

/// Writes to a file that does not exist yet, so that no earlier dispute is lost.
fn write(folder: &Path, stem: &str, content: &str) -> io::Result<String> {
    let mut number = 1;
    loop {
        let name = if number == 1 { format!("{stem}.txt") } else { format!("{stem}-{number}.txt") };
        match OpenOptions::new().write(true).create_new(true).open(folder.join(&name)) {
            Ok(mut file) => return file.write_all(content.as_bytes()).map(|()| name),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists && number < 1000 => number += 1,
            Err(error) => return Err(error),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn a_dispute_is_written_to_a_file_of_its_own() {
        let folder = std::env::temp_dir().join(format!("fairly-dispute-{}", std::process::id()));
        fs::create_dir_all(&folder).expect("a folder");
        let source = Source::text("some/where/mux.fair", "shared x: bool;");
        write_down(&folder, &source, "access[1]", "first");
        write_down(&folder, &source, "access[1]", "second");
        let read = |name: &str| fs::read_to_string(folder.join(name)).expect("a file");
        let first = read("fairly-disagreement-mux-access_1_.txt");
        assert!(first.starts_with("first\n") && first.ends_with("shared x: bool;"), "{first}");
        assert!(read("fairly-disagreement-mux-access_1_-2.txt").starts_with("second\n"));
        fs::remove_dir_all(&folder).expect("the folder can be removed");
    }

    #[test]
    fn a_folder_that_does_not_exist_is_an_error_and_no_panic() {
        assert!(write(Path::new("/no/such/folder"), "stem", "content").is_err());
    }
}
