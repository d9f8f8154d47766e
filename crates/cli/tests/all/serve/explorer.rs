//! `fairly explore`, serving a folder of files that a test wrote.

use std::fs;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

/// The command, serving a folder. It ends with this.
pub(crate) struct Served {
    process: Child,
    /// Where the page is, with the token.
    pub(crate) address: String,
    pub(crate) folder: PathBuf,
    /// The first file.
    pub(crate) file: PathBuf,
}

impl Served {
    /// Serves a folder with one model.
    pub(crate) fn start(name: &str, text: &str) -> Served {
        Served::folder(name, &[("lock.fair", text)], None)
    }

    /// Serves a folder with these files, or one of them.
    pub(crate) fn folder(name: &str, files: &[(&str, &str)], named: Option<&str>) -> Served {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("explore").join(name);
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(&folder).expect("a folder");
        for (file, text) in files {
            fs::write(folder.join(file), text).expect("a file");
        }
        let mut process = Command::new(env!("CARGO_BIN_EXE_fairly"))
            .args(["explore", "--no-open", "--threads", "1"])
            .arg(named.map_or_else(|| folder.clone(), |file| folder.join(file)))
            .stdout(Stdio::piped())
            .spawn()
            .expect("the command runs");
        let mut address = String::new();
        BufReader::new(process.stdout.take().expect("a pipe")).read_line(&mut address).expect("an address");
        let file = folder.join(files.first().map_or("", |(file, _)| file));
        Served { process, address: address.trim().to_owned(), folder, file }
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
