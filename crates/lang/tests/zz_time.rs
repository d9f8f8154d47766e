#![allow(missing_docs)]
#[path = "../../driver/tests/differential/generate.rs"]
mod generate;
#[path = "../../driver/tests/differential/random.rs"]
mod random;
#[path = "../../driver/tests/differential/constructs.rs"]
mod constructs;
#[test]
fn shares() {
    let mut used = vec![0u64; constructs::CONSTRUCTS.len()];
    let mut rejected = 0;
    let mut sizes = Vec::new();
    for number in 0..1500 {
        let source = generate::source(&mut random::Random::new(2026, number));
        constructs::count(&source, &mut used);
        let loaded = lang::load("x", &source, &[]);
        if loaded.model.is_none() { rejected += 1; if rejected < 12 { eprintln!("{:?}\n", loaded.diagnostics.iter().map(|d| (&d.message, &d.label, d.span.map(|s| &source[s.start..s.end]))).collect::<Vec<_>>()); } }
        else { sizes.push(0); }
    }
    eprintln!("rejected {rejected}");
    for ((name, _), used) in constructs::CONSTRUCTS.iter().zip(&used) { eprintln!("{name} {}", *used as f64 / 15.0); }
}
#[test]
fn time() {
    let Ok(file) = std::env::var("FAIR_FILE") else { return };
    for file in file.split(' ') {
    let text = std::fs::read_to_string(file).unwrap();
    let start = std::time::Instant::now();
    let loaded = lang::load("x", &text, &[]);
    eprintln!("{file} {:?}", start.elapsed());
    for d in &loaded.diagnostics { eprintln!("   {:?} {} | {} | {:?} | {:?}", d.severity, d.message, d.label, d.help, d.span.map(|s| text.get(s.start..s.end).unwrap_or("?"))); }
    }
}
