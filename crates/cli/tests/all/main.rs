//! The tests of the command, as one program: linking is most of the cost of a small one.

mod bad_input;
mod browser;
mod command;
mod explore;
mod grammars;
mod imports;
mod lsp;
mod lsp_files;
mod mcp;
mod page;
mod page_files;
mod page_live;
mod page_looks;
mod playground;
mod proofs;
mod queries;
mod report;
#[cfg(target_os = "linux")]
mod scale;
mod serve;
mod sources;
mod spin;
mod stopping;
mod tidy;
mod transcripts;
mod watch;
