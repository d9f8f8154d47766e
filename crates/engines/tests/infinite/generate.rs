//! Random programs over integers whose reachable values are few, as source text.
//!
//! Every assignment is guarded so that the value stays between -3 and 3: the variables are `int`, and yet the oracle
//! can enumerate the states. Some programs have control locations, some have two processes.

use std::fmt::Write as _;

use model::splitmix::SplitMix;

/// A program with one property.
pub(crate) fn program(seed: u64) -> String {
    let mut random = Random(SplitMix(seed));
    let mut text = String::new();
    for name in VARIABLES {
        let initial = ["= 0", "= 1", "in {0, 1}", "in -1..2"][random.below(4)];
        written(&mut text, format_args!("shared {name}: int {initial};\n"));
    }
    let processes = 1 + random.below(2);
    for process in &["P", "Q"][..processes] {
        written(&mut text, format_args!("process {process} {{\n"));
        if random.below(2) == 0 {
            for action in 0..=random.below(2) {
                let (guard, update) = random.step();
                written(&mut text, format_args!("    action a{action} when {guard} {{ {update} }}\n"));
            }
        } else {
            let body: Vec<String> = (0..=random.below(2)).map(|n| random.statement(n)).collect();
            let body = body.join(" ");
            let statements = match random.below(3) {
                0 => format!("    loop {{ {body} }}\n"),
                1 => format!("    head: while {} {{ {body} }}\n", random.condition()),
                _ => format!("    {body}\n"),
            };
            text.push_str(&statements);
        }
        text.push_str("}\n");
    }
    let fairness = match random.below(7) {
        0 | 1 => "none".to_owned(),
        2 => "weak processes".to_owned(),
        3 => "strong all".to_owned(),
        4 => format!("justice ({})", random.atom()),
        5 => format!("compassion ({}, {}) & weak P", random.atom(), random.atom()),
        _ => format!("compassion ({}, {}) & justice ({})", random.atom(), random.atom(), random.atom()),
    };
    match random.below(5) {
        0 => written(&mut text, format_args!("invariant p: {};\n", random.atom())),
        1 | 2 => written(&mut text, format_args!("property p: {} under {fairness};\n", random.ctl(2))),
        3 => written(&mut text, format_args!("property p: {} under {fairness};\n", random.ltl(2))),
        _ => {
            let (trigger, goal) = (random.atom(), random.atom());
            written(&mut text, format_args!("property p: G ({trigger} -> F {goal}) under {fairness};\n"));
        }
    }
    text
}

fn written(text: &mut String, more: std::fmt::Arguments<'_>) {
    text.write_fmt(more).expect("a string takes everything");
}

const VARIABLES: [&str; 2] = ["x", "y"];

struct Random(SplitMix);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0.below(bound as u64) as usize
    }

    fn variable(&mut self) -> &'static str {
        VARIABLES[self.below(2)]
    }

    fn atom(&mut self) -> String {
        let (a, b) = (self.variable(), self.variable());
        let number = self.below(5) as i64 - 2;
        match self.below(9) {
            0 => format!("{a} == {number}"),
            1 => format!("{a} != {number}"),
            2 | 3 => format!("{a} <= {number}"),
            4 => format!("{a} > {number}"),
            5 => format!("{a} < {b} + {number}"),
            6 => format!("({a} == {number} || {b} > {number})"),
            7 => "deadlock".to_owned(),
            _ => format!("enabled({})", "P"),
        }
    }

    fn condition(&mut self) -> String {
        if self.below(3) == 0 {
            return "true".to_owned();
        }
        let (a, number) = (self.variable(), self.below(5) as i64 - 2);
        let operator = ["<=", ">=", "==", "!="][self.below(4)];
        format!("{a} {operator} {number}")
    }

    /// A guard and an update that stays within bounds.
    fn step(&mut self) -> (String, String) {
        let (target, source, other) = (self.variable(), self.variable(), self.variable());
        let condition = self.condition();
        let value = match self.below(7) {
            0 => format!("{}", self.below(4) as i64 - 1),
            1 | 2 => format!("{source} + 1"),
            3 => format!("{source} - 1"),
            4 => format!("{source} + {other}"),
            5 => format!("1 - {source}"),
            _ => return (condition, format!("choose v in -1..2 {{ {target} = v; }}")),
        };
        (format!("{condition} && {value} <= 3 && {value} >= -3"), format!("{target} = {value};"))
    }

    fn statement(&mut self, number: usize) -> String {
        let (guard, update) = self.step();
        match self.below(4) {
            0 => format!("s{number}: stay;"),
            1 => format!("if {} {{ s{number}: when {guard} {{ {update} }} }}", self.condition()),
            _ => format!("s{number}: when {guard} {{ {update} }}"),
        }
    }

    fn ctl(&mut self, depth: usize) -> String {
        if depth == 0 {
            return self.atom();
        }
        let operator = ["AG", "AF", "EG", "EF", "AX", "EX"][self.below(6)];
        match self.below(8) {
            0 => format!("({} && {})", self.ctl(depth - 1), self.ctl(depth - 1)),
            1 => format!("({} -> {})", self.ctl(depth - 1), self.ctl(depth - 1)),
            2 => format!("!({})", self.ctl(depth - 1)),
            3 => {
                let quantifier = ["A", "E"][self.below(2)];
                let until = ["U", "W"][self.below(2)];
                format!("{quantifier}[{} {until} {}]", self.ctl(depth - 1), self.ctl(depth - 1))
            }
            _ => format!("{operator} ({})", self.ctl(depth - 1)),
        }
    }

    fn ltl(&mut self, depth: usize) -> String {
        if depth == 0 {
            return self.atom();
        }
        match self.below(7) {
            0 => format!("({} U {})", self.ltl(depth - 1), self.ltl(depth - 1)),
            1 => format!("(F ({}) || G ({}))", self.ltl(depth - 1), self.ltl(depth - 1)),
            2 => format!("X ({})", self.ltl(depth - 1)),
            3 => format!("F G ({})", self.atom()),
            4 => format!("G F ({})", self.atom()),
            5 => format!("G ({})", self.ltl(depth - 1)),
            _ => format!("F ({})", self.ltl(depth - 1)),
        }
    }
}
