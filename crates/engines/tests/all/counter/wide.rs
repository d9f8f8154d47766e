//! Random parameterised models with more of the language than [`generate`](super::generate): several families, of
//! equal or different sizes, a process that picks another, rendezvous, an element per process, `init`; properties of
//! two processes and of events; fairness of every kind. Some store the index of a process in a variable, which is
//! refused.

use super::generate::Random;

/// A model, and whether it is outside the class because of an index in a variable.
pub(crate) fn model(random: &mut Random) -> (String, bool) {
    let second = ["", "1..N", "1..N + 1", "0..N", "1..M"][random.below(5) as usize];
    let picks = random.below(3) == 0;
    let meets = random.below(4) == 0;
    let id = random.below(25) == 0;
    let mut text = format!("param N >= {};\n", 1 + random.below(3));
    if second == "1..M" {
        text += "param M >= 1;\n";
    }
    text += "shared x: bool;\n";
    if picks {
        text += "shared r: array[1..N] of bool;\n";
    }
    if meets {
        text += "chan c: [0] of 0..1;\n";
    }
    if id {
        text += "shared turn: 1..N;\n";
    }
    let scene = Scene { second: !second.is_empty(), own: second.to_owned(), picks };
    text += "process P[i: 1..N] {\n    local s: 0..2";
    text += if random.below(6) == 0 { " = any;\n" } else { ";\n" };
    if meets {
        text += "    local v: 0..1;\n";
        text = format!(
            "{text}    action give when s == {} {{ c!1; s = {}; }}\n",
            random.below(3),
            random.below(3)
        );
        text = format!(
            "{text}    action take when s == {} {{ c?v; s = {}; }}\n",
            random.below(3),
            random.below(3)
        );
    }
    for number in 0..3 {
        let mut guard = format!("s == {number}");
        if random.below(2) == 0 {
            guard = format!("{guard} && {}", scene.test(random, "j != i && "));
        }
        if id && number == 0 {
            guard += " && turn == i";
        }
        let mut update = format!("s = {}; ", random.below(3));
        update += random.one(&["", "", "x = !x; ", "x = true; ", "x = false; "]);
        if picks {
            update += random.one(&["", "r[i] = true; ", "r[i] = false; "]);
        }
        text = format!("{text}    action a{number} when {guard} {{ {update}}}\n");
    }
    text += "}\n";
    if scene.second {
        text = format!("{text}process Q[k: {second}] {{\n    local u: 0..1;\n");
        for number in 0..2 {
            let guard = scene.test(random, "");
            let update = random.one(&["", "x = !x; ", "x = true; "]);
            text = format!(
                "{text}    action b{number} when u == {number} && {guard} {{ u = {}; {update}}}\n",
                1 - number
            );
        }
        text += "}\n";
    }
    if picks {
        let guard = random.one(&["", " && x", " && P[j].s == 1", " && (forall k in 1..j - 1: !r[k])"]);
        let update = random.one(&["", "x = !x; "]);
        text = format!(
            "{text}process C {{ action pick(j: 1..N) when r[j]{guard} {{ r[j] = false; {update}}} }}\n"
        );
    }
    if random.below(8) == 0 {
        text += random.one(&[
            "init exists j in 1..N: P[j].s == 0;\n",
            "init count(j in 1..N: P[j].s == 1) <= 1;\n",
            "init forall j in 1..N: P[j].s != 2;\n",
        ]);
    }
    for number in 0..3 {
        text += &scene.claim(random, number);
    }
    (text, id)
}

/// The parts of a model.
struct Scene {
    second: bool,
    /// The range of the second family.
    own: String,
    picks: bool,
}

impl Scene {
    /// A condition for a guard.
    fn test(&self, random: &mut Random, others: &str) -> String {
        let a = random.below(3);
        match random.below(7 + 2 * u64::from(self.second) + u64::from(self.picks)) {
            0 => "x".to_owned(),
            1 => "!x".to_owned(),
            2 => format!("(exists j in 1..N: {others}P[j].s == {a})"),
            3 => format!("(forall j in 1..N: P[j].s != {a})"),
            4 => format!("count(j in 1..N: P[j].s == {a}) {} 1", random.one(&["<=", "==", ">", "!="])),
            5 => format!("count(j in 1..N: {others}P[j].s == {a}) >= 2"),
            6 => format!("(exists j in 1..N: exists m in 1..N: j != m && P[j].s == {a} && P[m].s == P[j].s)"),
            7 | 8 if self.second => {
                let quantifier = random.one(&["exists", "forall"]);
                format!("({quantifier} l in {}: Q[l].u == {})", self.own, random.below(2))
            }
            _ => "(exists j in 1..N: r[j])".to_owned(),
        }
    }

    fn fairness(&self, random: &mut Random) -> String {
        let mut words = vec![
            "none",
            "weak P",
            "strong P",
            "weak processes",
            "strong processes",
            "weak all",
            "strong all",
            "unconditional P",
            "weak P.a0 & strong P.a1",
            "for k in 1..N: justice (P[k].s != 1)",
            "for k in 1..N: compassion (P[k].s == 0, P[k].s == 1)",
            "for k in 1..N: compassion (taken(P[k].a0), P[k].s == 2)",
            "for k in 1..N: compassion (enabled(P[k].a1), taken(P[k].a1))",
            "for k in 1..N: compassion (P[k].s == 1, taken(P[k]))",
            "for k in 1..N: compassion (P[k].s == 1 && x, !x || taken(P[k].a1))",
            "for b in 0..1: compassion (exists j in 1..N: P[j].s == b, x)",
            "justice (exists j in 1..N: P[j].s == 2)",
            "compassion (taken(P.a0), taken(P.a1))",
            "weak P | justice (x)",
            "strong P & justice (x) | weak processes",
            "global",
        ];
        if self.second {
            words.extend(["weak Q", "strong Q & weak P", "weak P | strong Q", "unconditional Q"]);
        }
        if self.picks {
            words.extend(["weak C & weak P", "strong C & strong P", "weak C.pick & weak P"]);
        }
        random.one(&words).to_owned()
    }

    fn claim(&self, random: &mut Random, number: u64) -> String {
        let (a, b) = (random.below(3), random.below(3));
        let fair = self.fairness(random);
        let (other, e) = (&self.own, random.below(2));
        match random.below(14 + 3 * u64::from(self.second)) {
            0 => format!("invariant p{number}: count(j in 1..N: P[j].s == {a}) <= {b};\n"),
            1 => format!(
                "invariant p{number}: (exists j in 1..N: P[j].s == {a}) -> exists j in 1..N: P[j].s == {b};\n"
            ),
            2 => format!("property p{number}: F G (forall j in 1..N: P[j].s != {a}) under {fair};\n"),
            3 => format!(
                "property p{number}: G ((exists j in 1..N: P[j].s == {a}) -> F exists j in 1..N: P[j].s == {b}) under {fair};\n"
            ),
            4 | 5 => {
                format!("property p{number}[i: 1..N]: G (P[i].s == {a} -> F P[i].s == {b}) under {fair};\n")
            }
            6 => format!(
                "property p{number}[i: 1..N]: forall j in 1..N: G (P[i].s == {a} && P[j].s == {b} -> i == j) under {fair};\n"
            ),
            7 => format!(
                "property p{number}[i: 1..N]: forall j in 1..N: G (i != j && P[i].s == {a} -> F P[j].s == {b}) under {fair};\n"
            ),
            8 => format!("property p{number}: G (taken(P.a{a}) -> F taken(P.a{b})) under {fair};\n"),
            9 => format!("property p{number}[i: 1..N]: G F taken(P[i]) under {fair};\n"),
            10 => format!(
                "property p{number}[i: 1..N]: G (enabled(P[i].a{a}) -> F taken(P[i].a{b})) under {fair};\n"
            ),
            11 => format!(
                "property p{number}[i: 1..N]: G (P[i].s == {a} -> X (P[i].s == {a} || P[i].s == {b})) under {fair};\n"
            ),
            12 => format!(
                "property p{number}: {} under {fair};\n",
                random.one(&["G !deadlock", "F deadlock", "G F taken(any)"])
            ),
            13 => format!(
                "property p{number}[i: 1..N]: F G (P[i].s != {a}) || G F (exists j in 1..N: j != i && P[j].s == {b}) under {fair};\n"
            ),
            14 => format!(
                "property p{number}[l: {other}]: G (Q[l].u == {e} -> F Q[l].u == 1 - {e}) under {fair};\n"
            ),
            15 => format!("property p{number}: G F (exists k in {other}: Q[k].u == {e}) under {fair};\n"),
            _ => format!(
                "invariant p{number}: (exists j in 1..N: P[j].s == {a}) -> exists k in {other}: Q[k].u == {e};\n"
            ),
        }
    }
}
