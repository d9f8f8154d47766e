//! Generates the parser from `src/grammar.json` and compiles it.

use std::path::Path;
use std::{env, fs};

use tree_sitter_generate::{OptLevel, PARSER_HEADER, generate_parser_for_grammar};

fn main() {
    println!("cargo::rerun-if-changed=src/grammar.json");
    let grammar = fs::read_to_string("src/grammar.json").expect("the grammar can be read");
    let (_, code) = generate_parser_for_grammar(&grammar, None, OptLevel::default(), &mut Vec::new())
        .unwrap_or_else(|error| panic!("{error}"));
    let folder = env::var("OUT_DIR").expect("Cargo names a folder");
    let folder = Path::new(&folder);
    let write = |path: &str, text: &str| fs::write(folder.join(path), text).expect("a file can be written");
    fs::create_dir_all(folder.join("tree_sitter")).expect("a folder can be made");
    write("tree_sitter/parser.h", PARSER_HEADER);
    write("parser.c", &code);
    cc::Build::new().std("c11").include(folder).file(folder.join("parser.c")).warnings(false).compile("fair");
}
