//! Random parameterised models as source text.

/// A small generator of pseudorandom numbers (splitmix64).
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (z ^ (z >> 31)) % bound
    }

    pub(crate) fn one<'a>(&mut self, list: &[&'a str]) -> &'a str {
        list[self.below(list.len() as u64) as usize]
    }
}

/// How processes may compare their positions.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Order {
    None,
    Index,
    Ticket,
}

/// A model with three local states, a shared bit, and a few properties.
pub(crate) fn model(random: &mut Random) -> String {
    let order = match random.below(6) {
        0 | 1 => Order::Index,
        2 => Order::Ticket,
        _ => Order::None,
    };
    let single = random.below(4) == 0;
    let flag = order != Order::Ticket && random.below(4) == 0;
    // Both together would have more letters than a test should take.
    let array = !flag && random.below(5) == 0;
    let mut text = format!("param N >= {};\nshared x: bool;\n", 1 + random.below(2));
    if array {
        text += "shared up: array[1..N] of bool;\n";
    }
    text += "process P[i: 1..N] {\n    local s: 0..2;\n";
    if flag {
        text += "    local b: bool in {false, true};\n";
    }
    if order == Order::Ticket {
        text += "    local t: int;\n";
    }
    for number in 0..3 + random.below(3) {
        let from = if number < 3 { number } else { random.below(3) };
        let mut guard = format!("s == {from}");
        for _ in 0..random.below(2) + u64::from(number > 3) {
            guard = format!("{guard} && {}", test(random, order, flag, array));
        }
        let mut update = String::new();
        if random.below(5) > 0 {
            update = format!("s = {}; ", random.below(3));
        }
        update += random.one(&["", "", "", "x = !x; ", "x = true; ", "x = false; "]);
        if flag {
            update += random.one(&["", "", "b = !b; ", "b = x; "]);
        }
        if array {
            update += random.one(&["", "up[i] = true; ", "up[i] = false; "]);
        }
        if order == Order::Ticket {
            update += random.one(&["", "t = 0; ", "t = 1 + max(j in 1..N: P[j].t); "]);
        }
        text = format!("{text}    action a{number} when {guard} {{ {update}}}\n");
    }
    text += "}\n";
    if single {
        let guard =
            random.one(&["x", "!x", "exists j in 1..N: P[j].s == 1", "forall j in 1..N: P[j].s != 2"]);
        let value = random.one(&["!x", "true"]);
        text = format!("{text}process Q {{ loop {{ look: await {guard}; flip: x = {value}; }} }}\n");
    }
    let fair = [
        "none",
        "weak P",
        "weak P",
        "strong P",
        "weak P.a1",
        "unconditional P",
        "weak processes",
        "justice (x)",
        "for k in 1..N: compassion (P[k].s == 1 && x, P[k].s == 2)",
        "weak P & strong P.a2",
        "weak P | justice (!x)",
    ];
    for number in 0..3 {
        let (a, b) = (random.below(3), random.below(3));
        let claim = match random.below(7) {
            0 => format!("invariant p{number}: count(j in 1..N: P[j].s == {a}) <= {b};\n"),
            1 => format!(
                "invariant p{number}: (exists j in 1..N: P[j].s == {a}) -> exists j in 1..N: P[j].s == {b};\n"
            ),
            2 => format!(
                "property p{number}: F G (forall j in 1..N: P[j].s != {a}) under {};\n",
                random.one(&fair)
            ),
            3 | 4 => format!(
                "property p{number}: G ((exists j in 1..N: P[j].s == {a}) -> F exists j in 1..N: P[j].s == {b}) under {};\n",
                random.one(&fair)
            ),
            _ => format!(
                "property p{number}[i: 1..N]: G (P[i].s == {a} -> F P[i].s == {b}) under {};\n",
                random.one(&fair)
            ),
        };
        text += &claim;
    }
    text
}

/// A condition for a guard.
fn test(random: &mut Random, order: Order, flag: bool, array: bool) -> String {
    let k = random.below(3);
    let ordered = match order {
        Order::None => 0,
        _ => 4,
    };
    match random.below(7 + ordered + 2 * u64::from(flag) + u64::from(array)) {
        0 => "x".to_owned(),
        1 => "!x".to_owned(),
        2 => format!("(exists j in 1..N: j != i && P[j].s == {k})"),
        3 => format!("(forall j in 1..N: P[j].s != {k})"),
        4 => format!("(forall j in 1..N: j == i || P[j].s != {k})"),
        5 => format!("count(j in 1..N: P[j].s == {k}) <= 1"),
        6 => format!("count(j in 1..N: j != i && P[j].s == {k}) != 1"),
        7 | 8 if order == Order::Index => format!("(forall j in 1..i - 1: P[j].s != {k})"),
        9 if order == Order::Index => format!("(exists j in 1..N: j > i && P[j].s == {k})"),
        10 if order == Order::Index => format!("(exists j in 1..i - 1: P[j].s == {k})"),
        7 | 8 if order == Order::Ticket => {
            "(forall j in 1..N: j == i || P[j].t == 0 || t < P[j].t)".to_owned()
        }
        9 if order == Order::Ticket => {
            format!("(exists j in 1..N: P[j].t > 0 && P[j].t < t && P[j].s == {k})")
        }
        10 if order == Order::Ticket => "t != 0".to_owned(),
        _ if flag => "b == x".to_owned(),
        _ => "(exists j in 1..N: up[j])".to_owned(),
    }
}
