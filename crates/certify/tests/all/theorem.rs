//! The theorem behind refutation trees is checked by Coq, and `proofs/check` notices if a proof is missing.
//!
//! Without `coqc` on the path the tests say that they were skipped.
#![cfg(unix)]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

fn proofs() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../proofs")
}

/// Whether Coq is installed; prints a message if not.
fn installed() -> bool {
    let status = Command::new("coqc").arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status();
    let there = status.is_ok_and(|status| status.success());
    if !there {
        println!("skipped: this test needs coqc on the path");
    }
    there
}

fn check(folder: &Path) -> Output {
    Command::new(folder.join("check")).output().expect("the command runs")
}

#[test]
fn the_theorems_are_proved_from_the_named_axioms() {
    if installed() {
        let output = check(&proofs());
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    }
}

#[test]
fn a_lemma_without_a_proof_is_noticed() {
    if !installed() {
        return;
    }
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("theorem");
    // Remove the files of an earlier run.
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).expect("a folder");
    for entry in fs::read_dir(proofs()).expect("a readable folder") {
        let path = entry.expect("a readable entry").path();
        fs::copy(&path, folder.join(path.file_name().expect("a name"))).expect("a copy");
    }
    let file = folder.join("Runs.v");
    let text = fs::read_to_string(&file).expect("the lemmas about runs");
    let (before, proof) = text.rsplit_once("\nProof.").expect("a last proof");
    assert!(proof.trim_end().ends_with("Qed."));
    fs::write(&file, format!("{before}\nAdmitted.\n")).expect("a changed file");
    let output = check(&folder);
    let message = String::from_utf8_lossy(&output.stderr);
    assert!(!output.status.success());
    assert!(message.contains("Refutation.refuted: Runs.all_cease"), "{message}");
}
