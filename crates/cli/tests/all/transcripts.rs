//! Runs the transcripts: Markdown documents with commands and their output.
//!
//! A block ` ```fair name.fair ` is a file of that name, and so is any block with a name after its language. A block
//! ` ```console ` holds commands, each after `$ `, with their standard output and standard error below it, and `[exit 1]`
//! if the exit code is not 0. A command is run by the shell, in a separate folder for each document. Times are written as
//! `0.00 s`. `BLESS=1 cargo test --test all transcripts::` writes the present output into the documents.
#![cfg(unix)]

use std::fmt::Write;
use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

#[test]
fn the_command_answers_as_the_transcripts_say() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/transcripts");
    let mut documents: Vec<PathBuf> = fs::read_dir(folder)
        .expect("a folder of transcripts")
        .map(|entry| entry.expect("an entry").path())
        .collect();
    for document in ["README.md", "docs/advisor.md", "docs/reports.md"] {
        documents.push(Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(document));
    }
    let book = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/book/src");
    let pages = fs::read_dir(book).expect("the pages of the book");
    documents.extend(pages.map(|entry| entry.expect("an entry").path()));
    documents.sort();
    assert!(documents.len() >= 24, "there are transcripts");
    let mut differences = String::new();
    for document in documents {
        let expected = fs::read_to_string(&document).expect("a transcript");
        let name = document.file_stem().expect("a name").to_string_lossy().into_owned();
        let actual = replay(&name, &expected);
        if std::env::var_os("BLESS").is_some() {
            fs::write(&document, actual).expect("a transcript that can be written");
        } else if actual != expected {
            let place = expected.lines().zip(actual.lines()).position(|(a, b)| a != b);
            let place = place.unwrap_or_else(|| expected.lines().count().min(actual.lines().count()));
            let shown = |text: &str| text.lines().skip(place).take(12).collect::<Vec<_>>().join("\n");
            let _ = writeln!(
                differences,
                "{name}.md, line {}:\n--- expected\n{}\n--- actual\n{}\n",
                place + 1,
                shown(&expected),
                shown(&actual)
            );
        }
    }
    assert!(differences.is_empty(), "{differences}");
}

/// The document with the present output of its commands.
fn replay(name: &str, document: &str) -> String {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("transcripts").join(name);
    // Remove the files of an earlier run.
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).expect("a folder for the transcript");
    let mut text = String::new();
    let mut lines = document.lines();
    while let Some(line) = lines.next() {
        text += line;
        text.push('\n');
        let Some(kind) = line.strip_prefix("```").filter(|kind| !kind.is_empty()) else { continue };
        let block: Vec<&str> = lines.by_ref().take_while(|line| *line != "```").collect();
        if kind == "console" {
            for command in block.iter().filter_map(|line| line.strip_prefix("$ ")) {
                let _ = write!(text, "$ {command}\n{}", answer(&folder, command));
            }
        } else {
            for line in &block {
                text += line;
                text.push('\n');
            }
            if let Some((_, file)) = kind.split_once(' ') {
                fs::write(folder.join(file), block.join("\n") + "\n").expect("a file of the transcript");
            }
        }
        text += "```\n";
    }
    text
}

/// The output of a command, and its exit code.
fn answer(folder: &Path, command: &str) -> String {
    let binary = Path::new(env!("CARGO_BIN_EXE_fairly")).parent().expect("a folder of binaries");
    let path = format!("{}:{}", binary.display(), std::env::var("PATH").unwrap_or_default());
    let (mut reader, writer) = std::io::pipe().expect("a pipe");
    let mut child = {
        // The command is dropped here with its ends of the pipe, so that reading ends.
        let mut shell = Command::new("sh");
        shell.arg("-c").arg(command).current_dir(folder).env("PATH", path).env_remove("CLICOLOR_FORCE");
        shell.stdin(Stdio::null()).stdout(writer.try_clone().expect("a pipe")).stderr(writer);
        shell.spawn().expect("a shell")
    };
    let mut output = Vec::new();
    reader.read_to_end(&mut output).expect("what the command writes");
    let status = child.wait().expect("an exit status");
    let mut text = without_times(&String::from_utf8_lossy(&output));
    if !text.is_empty() && !text.ends_with('\n') {
        text.push('\n');
    }
    match status.code() {
        Some(0) => {}
        Some(code) => {
            let _ = writeln!(text, "[exit {code}]");
        }
        None => text += "[killed]\n",
    }
    text
}

/// The text with `1.23 s`, `"seconds": 1.23` and `time="1.234"` replaced by zeros.
fn without_times(text: &str) -> String {
    let mut lines = Vec::new();
    for line in text.split('\n') {
        let line = match line.split_once(" time=\"").and_then(|(a, b)| Some((a, b.split_once('"')?.1))) {
            Some((before, after)) => &format!("{before} time=\"0.000\"{after}"),
            None => line,
        };
        let line = match line.split_once("\"seconds\": ") {
            Some((before, _)) => format!("{before}\"seconds\": 0.0,"),
            None => without_time_at_the_end(line).unwrap_or_else(|| line.to_owned()),
        };
        lines.push(line);
    }
    lines.join("\n")
}

/// A line that ends in a time, with that replaced by zeros.
fn without_time_at_the_end(line: &str) -> Option<String> {
    let end = ["", "]"].into_iter().find(|end| line.ends_with(&format!(" s{end}")))?;
    let start = &line[..line.len() - end.len() - " s".len()];
    let at = start.rfind(' ')?;
    start[at + 1..].parse::<f64>().ok().map(|_| format!("{} 0.00 s{end}", &start[..at]))
}
