//! Where models come from: folders, standard input, and paths that are not text.

use std::fs;
use std::io::Write;
use std::path::PathBuf;
use std::process::Stdio;

use crate::command::{command, fairly};

const MODEL: &str = "shared x: bool;\nprocess P { loop { a: x = !x; } }\nproperty p: GF x under weak P;\n";

/// An empty folder for one test.
fn folder(name: &str) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).expect("a folder");
    folder
}

#[test]
fn a_folder_stands_for_every_model_in_it_in_order() {
    let folder = folder("folder_of_models");
    fs::create_dir(folder.join("inner")).expect("a folder");
    for name in ["b.fair", "a.fair", "inner/c.fair", "notes.txt"] {
        fs::write(folder.join(name), MODEL).expect("a file");
    }
    let answer = fairly(&["check", &folder.to_string_lossy()]);
    assert_eq!(answer.code, Some(0), "{}{}", answer.stdout, answer.stderr);
    let shown: Vec<&str> =
        answer.stdout.lines().filter(|line| line.trim() == *line && line.contains(".fair")).collect();
    let names: Vec<&str> = shown.iter().filter_map(|line| line.rsplit('/').next()).collect();
    assert_eq!(names, ["a.fair", "b.fair", "c.fair"], "{shown:?}");
    let empty = folder.join("empty");
    fs::create_dir(&empty).expect("a folder");
    let answer = fairly(&["check", &empty.to_string_lossy()]);
    assert_eq!(answer.code, Some(2));
    assert!(answer.stderr.contains("there is no model (.fair, .dve, "), "{}", answer.stderr);
}

#[test]
fn a_model_can_come_from_standard_input() {
    let mut child = command(&["check", "-"]).stdin(Stdio::piped()).spawn().expect("the command runs");
    child.stdin.take().expect("a pipe").write_all(MODEL.as_bytes()).expect("it reads");
    let output = child.wait_with_output().expect("an answer");
    let stdout = String::from_utf8_lossy(&output.stdout);
    assert_eq!(output.status.code(), Some(0), "{stdout}");
    assert!(stdout.starts_with("standard input\n"), "{stdout}");
}

#[cfg(unix)]
#[test]
fn a_path_that_is_not_text_is_read_like_any_other() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;

    let folder = folder("folder_of_bytes");
    let path = folder.join(OsStr::from_bytes(b"lock\xff.fair"));
    fs::write(&path, MODEL).expect("a file");
    let output = command(&["check"]).arg(&path).output().expect("the command runs");
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    assert!(String::from_utf8_lossy(&output.stdout).contains("lock\u{fffd}.fair"), "{output:?}");
    let absent = folder.join(OsStr::from_bytes(b"\xfe.fair"));
    let output = command(&["check"]).arg(&absent).output().expect("the command runs");
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("there is no such file"), "{output:?}");
}

#[test]
fn other_commands_read_standard_input_too() {
    let mut child = command(&["print", "-"]).stdin(Stdio::piped()).spawn().expect("the command runs");
    child.stdin.take().expect("a pipe").write_all(MODEL.as_bytes()).expect("it reads");
    let output = child.wait_with_output().expect("an answer");
    assert!(String::from_utf8_lossy(&output.stdout).contains("property p:"), "{output:?}");
}

#[test]
fn a_model_includes_files_beside_it_and_errors_are_shown_in_their_file() {
    let folder = folder("folder_with_library");
    fs::create_dir(folder.join("lib")).expect("a folder");
    let model = folder.join("model.fair");
    fs::write(&model, format!("include \"lib/x.fair\";\n{}", MODEL.replace("shared x: bool;\n", "")))
        .expect("a file");
    fs::write(folder.join("lib/x.fair"), "shared x: bool;\n").expect("a file");
    let path = model.to_string_lossy();
    let answer = fairly(&["check", &path]);
    assert_eq!(answer.code, Some(0), "{}{}", answer.stdout, answer.stderr);
    fs::write(folder.join("lib/x.fair"), "// x\nshared x: boole;\n").expect("a file");
    let answer = fairly(&["check", &path]);
    assert_eq!(answer.code, Some(2));
    assert!(answer.stderr.contains("lib/x.fair:2:11"), "{}", answer.stderr);
    assert!(answer.stderr.contains("2 | shared x: boole;"), "{}", answer.stderr);
    // Printing leaves other files alone.
    assert!(fairly(&["print", &path]).stdout.starts_with("include \"lib/x.fair\";\n"));
}

#[test]
fn standard_input_includes_nothing() {
    let mut child =
        command(&["check", "-"]).stdin(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it runs");
    child.stdin.take().expect("a pipe").write_all(b"include \"x.fair\";\n").expect("it reads");
    let output = child.wait_with_output().expect("an answer");
    assert_eq!(output.status.code(), Some(2));
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(
        stderr.contains("cannot read x.fair: a model from standard input has no files beside it"),
        "{stderr}"
    );
}
