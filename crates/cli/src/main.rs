//! The command `fairly`.
fn main() {}
