//! Cases in Markdown: any document with `fair` blocks is a suite.
//!
//! A heading names a case, and each block fenced with `fair` below it is a model whose properties all have an
//! `expect` clause. Other text is ignored, except for two kinds of lines that belong to the next block of the
//! section: `set: N=4, M=2` gives values to constants and parameters, and `faults: yes` says that the properties
//! expected to fail do so because of a fault. A second block under the same heading is called `… (2)`. A block fenced
//! with `hoa bad.hoa` or `fair lock.fair` is the file of that name for the blocks below it in its section.

use std::path::Path;

/// A model with expectations.
pub(crate) struct Case {
    /// The document, relative to the root of the repository.
    pub(crate) file: String,
    /// The heading above it.
    pub(crate) name: String,
    /// The line of the document where the block begins.
    pub(crate) line: usize,
    /// The values of constants and parameters.
    pub(crate) settings: Vec<(String, String)>,
    /// Whether its failing properties fail by a fault.
    pub(crate) faults: bool,
    /// The files it may name: their names and texts.
    pub(crate) files: Vec<(String, String)>,
    /// The model.
    pub(crate) source: String,
}

impl Case {
    /// `suite/weak.md:12 (An action that stays enabled is taken)`
    pub(crate) fn place(&self) -> String {
        format!("{}:{} ({})", self.file, self.line, self.name)
    }

    /// The text of a file.
    pub(crate) fn text(&self, file: &str) -> Result<String, String> {
        let found = self.files.iter().find(|(name, _)| name == file);
        found.map(|(_, text)| text.clone()).ok_or_else(|| format!("no block is called {file}"))
    }
}

/// The cases of a document.
pub(crate) fn cases(file: &str, text: &str) -> Vec<Case> {
    let mut cases: Vec<Case> = Vec::new();
    let mut heading = String::new();
    let mut blocks = 0;
    let mut settings = Vec::new();
    let mut files = Vec::new();
    let mut faults = false;
    let mut lines = text.lines().enumerate();
    while let Some((number, line)) = lines.next() {
        if let Some(language) = line.strip_prefix("```") {
            let body: Vec<&str> =
                lines.by_ref().map(|(_, line)| line).take_while(|line| !line.starts_with("```")).collect();
            if let Some(name) = language.strip_prefix("hoa ").or(language.strip_prefix("fair ")) {
                files.push((name.trim().to_owned(), body.join("\n") + "\n"));
            } else if language.trim() == "fair" {
                blocks += 1;
                cases.push(Case {
                    file: file.to_owned(),
                    name: if blocks == 1 { heading.clone() } else { format!("{heading} ({blocks})") },
                    line: number + 1,
                    settings: std::mem::take(&mut settings),
                    faults: std::mem::take(&mut faults),
                    files: files.clone(),
                    source: body.join("\n") + "\n",
                });
            }
        } else if let Some(title) = line.strip_prefix('#') {
            title.trim_start_matches('#').trim().clone_into(&mut heading);
            blocks = 0;
            settings.clear();
            files.clear();
            faults = false;
        } else if let Some(values) = line.strip_prefix("set: ") {
            let value =
                |part: &str| part.split_once('=').map(|(a, b)| (a.trim().to_owned(), b.trim().to_owned()));
            settings.extend(values.split(',').filter_map(value));
        } else if line.trim() == "faults: yes" {
            faults = true;
        }
    }
    cases
}

/// The cases of all documents of the repository, in a fixed order.
pub(crate) fn all(root: &Path) -> Vec<Case> {
    let mut documents = Vec::new();
    for folder in ["suite", "docs", "docs/decisions", "."] {
        let mut names: Vec<String> = std::fs::read_dir(root.join(folder))
            .into_iter()
            .flatten()
            .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
            .filter(|name| Path::new(name).extension().is_some_and(|extension| extension == "md"))
            .collect();
        names.sort();
        documents.extend(names.into_iter().map(|name| match folder {
            "." => name,
            _ => format!("{folder}/{name}"),
        }));
    }
    let read = |name: String| {
        let text = std::fs::read_to_string(root.join(&name)).expect("a document that was listed can be read");
        cases(&name, &text)
    };
    documents.into_iter().flat_map(read).collect()
}

#[test]
fn a_heading_names_the_blocks_below_it() {
    let text = "# Title\n\n## One\n\nset: N=4, M = x\n\n```fair\nconst N = 3;\n```\n\n```text\nno\n```\n\
                faults: yes\n```hoa x.hoa\n# d\n```\n```fair y.fair\n```\n```fair\nb\n# c\n```\n## Two\n```fair\n```\n";
    let found = cases("some.md", text);
    let names: Vec<_> =
        found.iter().map(|case| (case.name.as_str(), case.line, case.source.as_str())).collect();
    assert_eq!(names, [("One", 7, "const N = 3;\n"), ("One (2)", 20, "b\n# c\n"), ("Two", 25, "\n")]);
    assert_eq!(found[0].settings, [("N".to_owned(), "4".to_owned()), ("M".to_owned(), "x".to_owned())]);
    assert_eq!(found[1].text("x.hoa"), Ok("# d\n".to_owned()));
    assert_eq!(found[1].text("y.fair"), Ok("\n".to_owned()));
    assert!(found[0].text("x.hoa").is_err() && found[2].text("x.hoa").is_err());
    assert!(found[1].settings.is_empty() && found[1].faults && !found[0].faults && !found[2].faults);
}
