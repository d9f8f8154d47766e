//! Random programs over integers with few reachable values, as source text.
//!
//! Every assignment is guarded so that the value stays between -3 and 3. So the variables are `int`, but the oracle
//! can enumerate the states of the version in which they are ranges. Programs have one to three processes, written as
//! actions or as code with nested loops, branches and choices; some run into deadlocks, some may fault. Some have an array
//! that is indexed by integers, some divide, some have a parameter that they compare with. Properties
//! are invariants, LTL and CTL with arbitrarily nested quantifiers, under every kind of fairness that the engine
//! accepts.

use std::fmt::Write as _;

use model::splitmix::SplitMix;

/// A program with one property.
pub(crate) fn program(seed: u64) -> String {
    let mut random = Random::new(seed);
    let mut text = random.variables();
    let number = [1, 1, 2, 2, 2, 3][random.below(6)];
    for process in &PROCESSES[..number] {
        random.labels.clear();
        written(&mut text, format_args!("process {process} {{\n"));
        if random.below(3) == 0 {
            for action in 0..=random.below(3) {
                let (guard, update) = random.step();
                written(&mut text, format_args!("    action a{action} when {guard} {{ {update} }}\n"));
            }
        } else {
            let length = 1 + random.below(3);
            let body = random.block(length, if number == 1 { 2 } else { 1 });
            let statements = match random.below(3) {
                0 => format!("    {body}\n"),
                1 => format!("    head: while {} {{ {body} }}\n", random.condition()),
                _ => format!("    loop {{ {body} }}\n"),
            };
            text.push_str(&statements);
        }
        text.push_str("}\n");
        let places = random.labels.iter().map(|label| format!("{process}@{label}")).collect::<Vec<_>>();
        random.places.extend(places);
    }
    let fairness = random.fairness(number);
    match random.below(7) {
        0 => written(&mut text, format_args!("invariant p: {};\n", random.atom())),
        1 | 2 => written(&mut text, format_args!("property p: {} under {fairness};\n", random.ctl(2))),
        3 => written(&mut text, format_args!("property p: {} under {fairness};\n", random.ctl(3))),
        4 | 5 => written(&mut text, format_args!("property p: {} under {fairness};\n", random.ltl(2))),
        _ => {
            let (trigger, goal) = (random.atom(), random.atom());
            written(&mut text, format_args!("property p: G ({trigger} -> F {goal}) under {fairness};\n"));
        }
    }
    text
}

/// A program in the format of T2: its text, formulas of CTL, LTL and CTL\*, and fairness pairs.
pub(crate) fn blocks(seed: u64) -> (String, [String; 3], Vec<String>) {
    let mut random = Random::new(seed);
    let mut text = "START: 0;\nCUTPOINT: 3;\n\nFROM: 0;\n".to_owned();
    for name in VARIABLES {
        match random.below(3) {
            0 => {
                written(&mut text, format_args!("{name} := nondet(); assume({name} >= 0 && {name} <= 2);\n"));
            }
            1 => written(&mut text, format_args!("assume({name} >= -1); assume({name} < 1);\n")),
            _ => written(&mut text, format_args!("{name} := {};\n", random.number())),
        }
    }
    text.push_str("TO: 1;\n");
    for number in 0..3 + random.below(4) {
        let from = 1 + number.min(random.below(4));
        written(&mut text, format_args!("\nFROM: {from};\n"));
        for _ in 0..random.below(2) {
            written(&mut text, format_args!("assume({});\n", random.comparison().replace(" == ", " = ")));
        }
        for _ in 0..random.below(3) {
            let (target, source) = (random.variable(), random.variable());
            match random.below(5) {
                0 => written(&mut text, format_args!("{target} := nondet();\n")),
                1 => written(&mut text, format_args!("{target} := {};\n", random.number())),
                2 => written(&mut text, format_args!("{target} := {target} - 1;\n")),
                3 => written(&mut text, format_args!("{target} := {source} + 1;\n")),
                _ => written(&mut text, format_args!("{target} := 1 - {source};\n")),
            }
            written(&mut text, format_args!("assume({target} <= 3 && {target} >= -3);\n"));
        }
        written(&mut text, format_args!("TO: {};\n", 1 + random.below(4)));
    }
    let (ctl, ltl) = (random.bracketed(2), random.path(2));
    let pairs = (0..random.below(3)).map(|_| format!("({}, {})", random.comparison(), random.comparison()));
    let pairs = pairs.collect();
    (text, [ctl, ltl, random.star(2)], pairs)
}

fn written(text: &mut String, more: std::fmt::Arguments<'_>) {
    text.write_fmt(more).expect("a string takes everything");
}

const VARIABLES: [&str; 2] = ["x", "y"];
const PROCESSES: [&str; 3] = ["P", "Q", "R"];

struct Random {
    numbers: SplitMix,
    /// The labels of the current process.
    labels: Vec<String>,
    /// The locations of the processes so far.
    places: Vec<String>,
    /// Whether there is a range variable `r` that may leave its range.
    small: bool,
    /// Whether there is an array `a` of two integers.
    array: bool,
    /// Whether there is a parameter `N`.
    open: bool,
}

impl Random {
    fn new(seed: u64) -> Random {
        let (labels, places) = (Vec::new(), Vec::new());
        Random { numbers: SplitMix(seed), labels, places, small: false, array: false, open: false }
    }

    fn below(&mut self, bound: usize) -> usize {
        self.numbers.below(bound as u64) as usize
    }

    fn variables(&mut self) -> String {
        let mut text = String::new();
        for name in VARIABLES {
            let initial = ["= 0", "= 1", "in {0, 1}", "in -1..2", "= any"][self.below(5)];
            written(&mut text, format_args!("shared {name}: int {initial};\n"));
            if initial == "= any" {
                let bound = self.below(3);
                written(&mut text, format_args!("init {name} >= 0 && {name} <= {bound};\n"));
            }
        }
        self.small = self.below(6) == 0;
        if self.small {
            let top = [2, 2, 12][self.below(3)];
            written(&mut text, format_args!("shared r: 0..{top} = {};\n", self.below(2)));
        }
        self.array = self.below(4) == 0;
        if self.array {
            written(&mut text, format_args!("shared a: array[0..1] of int = [{}, 1];\n", self.number()));
        }
        self.open = self.below(6) == 0;
        if self.open {
            written(&mut text, format_args!("param N >= {};\ninit N <= 3;\n", self.number()));
        }
        text
    }

    /// An index of the array, and the condition that it is inside; now and then without the condition.
    fn index(&mut self) -> (String, String) {
        let name = self.variable();
        match self.below(12) {
            0 => (name.to_owned(), "true".to_owned()),
            1 | 2 => (format!("({name} + 3) % 2"), "true".to_owned()),
            3 => (format!("1 - {name} / 2"), format!("{name} >= 0")),
            _ => (name.to_owned(), format!("{name} >= 0 && {name} <= 1")),
        }
    }

    /// A comparison of a quotient or a rest.
    fn division(&mut self) -> String {
        let (a, b, number) = (self.variable(), self.variable(), self.number());
        let operator = ["<=", ">=", "==", "!=", "<", ">"][self.below(6)];
        match self.below(6) {
            0 => format!("{a} % 3 {operator} {number}"),
            1 => format!("({a} - {b}) / 2 {operator} {number}"),
            2 => format!("{a} / -2 {operator} {b}"),
            3 => format!("{a} / 2 + {b} % 2 {operator} {number}"),
            4 => format!("2 * ({a} / 2) {operator} {a}"),
            _ => format!("{a} / 3 {operator} {number}"),
        }
    }

    fn variable(&mut self) -> &'static str {
        VARIABLES[self.below(2)]
    }

    fn number(&mut self) -> i64 {
        self.below(5) as i64 - 2
    }

    fn comparison(&mut self) -> String {
        let operator = ["<=", ">=", "==", "!=", "<", ">"][self.below(6)];
        format!("{} {operator} {}", self.variable(), self.number())
    }

    /// A state predicate.
    fn atom(&mut self) -> String {
        let (a, b, number) = (self.variable(), self.variable(), self.number());
        if self.array && self.below(3) == 0 {
            let (index, inside) = self.index();
            return format!("({inside} -> a[{index}] > {number})");
        }
        if self.open && self.below(3) == 0 {
            return format!("{a} < N");
        }
        match self.below(11) {
            0 => format!("{a} < {b} + {number}"),
            1 => format!("({a} == {number} || {b} > {number})"),
            2 => "deadlock".to_owned(),
            3 => "enabled(P)".to_owned(),
            4 | 5 if !self.places.is_empty() => {
                let place = self.below(self.places.len());
                self.places[place].clone()
            }
            6 => self.division(),
            _ => self.comparison(),
        }
    }

    /// A step predicate.
    fn event(&mut self) -> String {
        match self.below(8) {
            0 => "taken(P)".to_owned(),
            1 => "taken(any)".to_owned(),
            _ => self.atom(),
        }
    }

    fn condition(&mut self) -> String {
        match self.below(12) {
            0..4 => "true".to_owned(),
            4 => self.division(),
            5 if self.open => format!("{} < N", self.variable()),
            _ => self.comparison(),
        }
    }

    /// A guard and an update that stays within bounds.
    fn step(&mut self) -> (String, String) {
        let (target, source, other) = (self.variable(), self.variable(), self.variable());
        let condition = self.condition();
        if self.small && self.below(3) == 0 {
            let guard = if self.below(2) == 0 { "true" } else { "r < 2" };
            return (format!("{condition} && {guard}"), "r = r + 1;".to_owned());
        }
        if self.array && self.below(3) == 0 {
            let (index, inside) = self.index();
            let (guard, update) = match self.below(4) {
                0 => ("true".to_owned(), format!("a[{index}] = {};", self.number())),
                1 => (format!("a[{index}] < 2"), format!("a[{index}] = a[{index}] + 1;")),
                2 => ("true".to_owned(), format!("{target} = a[{index}];")),
                _ => (format!("a[{index}] > 0"), format!("a[{index}], {target} = 0, a[1] - 1;")),
            };
            let bound = if update.contains("a[1] - 1") { " && a[1] >= -2" } else { "" };
            return (format!("{condition} && {inside} && {guard}{bound}"), update);
        }
        let value = match self.below(13) {
            0 | 1 => format!("{}", self.number()),
            2 | 3 => format!("{source} + 1"),
            4 => format!("{source} - 1"),
            5 => format!("{source} + {other}"),
            6 => format!("1 - {source}"),
            7 => {
                let which = ["", " where v != 0", " where v <= x || v == 2"][self.below(3)];
                return (condition, format!("choose v in -1..2{which} {{ {target} = v; }}"));
            }
            8 => {
                let low = ["-1", "x - 1"][self.below(2)];
                let asked = format!("v >= {low} && v <= {source} + 1 && v >= -3 && v <= 3");
                return (
                    format!("{condition} && {low} <= {source} + 1 && {low} <= 3 && {source} >= -4"),
                    format!("choose v in int where {asked} {{ {target} = v; }}"),
                );
            }
            9 => return (format!("{condition} && x < 3 && y > -3"), "x, y = x + 1, y - 1;".to_owned()),
            10 => {
                let test = self.comparison();
                let (yes, no) = (self.number(), self.number());
                return (condition, format!("if {test} {{ {target} = {yes}; }} else {{ {target} = {no}; }}"));
            }
            11 => {
                let (one, two) = (self.number(), self.number());
                return (condition, format!("either {{ {target} = {one}; }} or {{ {source} = {two}; }}"));
            }
            _ => format!("{source} - {other}"),
        };
        (format!("{condition} && {value} <= 3 && {value} >= -3"), format!("{target} = {value};"))
    }

    fn label(&mut self) -> String {
        let label = format!("s{}", self.labels.len());
        self.labels.push(label.clone());
        label
    }

    fn block(&mut self, length: usize, depth: usize) -> String {
        (0..length).map(|_| self.statement(depth)).collect::<Vec<_>>().join(" ")
    }

    fn statement(&mut self, depth: usize) -> String {
        let kinds = if depth == 0 { 6 } else { 10 };
        let kind = self.below(kinds);
        let label = if kind < 6 { self.label() } else { String::new() };
        match kind {
            0 => format!("{label}: stay;"),
            1 => format!("{label}: await {};", self.comparison()),
            2..=5 => {
                let (guard, update) = self.step();
                format!("{label}: when {guard} {{ {update} }}")
            }
            6 => format!("if {} {{ {} }}", self.condition(), self.block(1, depth - 1)),
            7 => format!("either {{ {} }} or {{ {} }}", self.block(1, 0), self.block(1, 0)),
            _ => format!("while {} {{ {} }}", self.comparison(), self.block(1, depth - 1)),
        }
    }

    fn fairness(&mut self, processes: usize) -> String {
        let one = |random: &mut Random| {
            let process = PROCESSES[random.below(processes)];
            let word = ["weak", "strong", "unconditional"][random.below(3)];
            match random.below(8) {
                0 => format!("weak {}", ["processes", "all"][random.below(2)]),
                1 => format!("strong {}", ["processes", "all"][random.below(2)]),
                2 | 3 => format!("{word} {process}"),
                4 => "unconditional any".to_owned(),
                5 => format!("justice ({})", random.event()),
                _ => format!("compassion ({}, {})", random.event(), random.event()),
            }
        };
        match self.below(6) {
            0 if self.below(3) == 0 => "global".to_owned(),
            0 | 1 => "none".to_owned(),
            2 | 3 => one(self),
            4 => format!("{} & {}", one(self), one(self)),
            _ => format!("{} | {}", one(self), one(self)),
        }
    }

    fn ctl(&mut self, depth: usize) -> String {
        if depth == 0 {
            return self.atom();
        }
        let operator = ["AG", "AF", "EG", "EF", "AX", "EX"][self.below(6)];
        match self.below(9) {
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
            return self.event();
        }
        match self.below(9) {
            0 => format!("({} U {})", self.ltl(depth - 1), self.ltl(depth - 1)),
            1 => format!("({} W {})", self.ltl(depth - 1), self.event()),
            2 => format!("(F ({}) || G ({}))", self.ltl(depth - 1), self.ltl(depth - 1)),
            3 => format!("X ({})", self.ltl(depth - 1)),
            4 => format!("F G ({})", self.event()),
            5 => format!("(G F ({}) -> G F ({}))", self.event(), self.event()),
            6 => format!("G ({})", self.ltl(depth - 1)),
            7 => format!("!({})", self.ltl(depth - 1)),
            _ => format!("F ({})", self.ltl(depth - 1)),
        }
    }

    /// A CTL formula in T2's notation.
    fn bracketed(&mut self, depth: usize) -> String {
        if depth == 0 {
            return self.comparison();
        }
        match self.below(8) {
            0 => format!("({} && {})", self.bracketed(depth - 1), self.bracketed(depth - 1)),
            1 => format!("({} || {})", self.bracketed(depth - 1), self.bracketed(depth - 1)),
            2 => format!("[AW]({}), ({})", self.bracketed(0), self.bracketed(depth - 1)),
            _ => {
                let operator = ["AG", "AF", "EG", "EF", "AX", "EX"][self.below(6)];
                format!("[{operator}]({})", self.bracketed(depth - 1))
            }
        }
    }

    /// A formula of CTL\* in T2's notation.
    fn star(&mut self, depth: usize) -> String {
        if depth == 0 {
            return format!("({})", self.comparison());
        }
        match self.below(7) {
            0 => format!("({} && {})", self.star(depth - 1), self.star(depth - 1)),
            1 => format!("({} || {})", self.star(depth - 1), self.star(depth - 1)),
            2 => format!("(A G({}))", self.star(depth - 1)),
            3 => format!("(A F(G({})))", self.star(depth - 1)),
            4 => format!("(E (G(F({})) && G(F({}))))", self.star(depth - 1), self.star(0)),
            _ => format!("(E G(F({})))", self.star(depth - 1)),
        }
    }

    /// An LTL formula in T2's notation.
    fn path(&mut self, depth: usize) -> String {
        if depth == 0 {
            return self.comparison();
        }
        match self.below(6) {
            0 => format!("U({}), ({})", self.path(0), self.path(depth - 1)),
            1 => format!("(F({}) || G({}))", self.path(depth - 1), self.path(depth - 1)),
            2 => format!("X({})", self.path(depth - 1)),
            3 => format!("G({})", self.path(depth - 1)),
            _ => format!("F({})", self.path(depth - 1)),
        }
    }
}
