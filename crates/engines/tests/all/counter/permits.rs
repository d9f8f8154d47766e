//! Random models with numbers: semaphores with several permits, enums, records, several locals per process, single
//! processes, two families of the same size; properties that compare counts and numbers.

use super::generate::Random;

/// A model with a shared number in a range, and a few properties.
pub(crate) fn model(random: &mut Random) -> String {
    let most = 1 + random.below(3);
    let second = random.below(3) == 0;
    let single = random.below(4) == 0;
    let flag = random.below(3) == 0;
    let exact = random.below(3) > 0;
    let start = if exact { most } else { random.below(most + 1) };
    // A number up to N that some steps add to: mostly a count of processes, sometimes not.
    let tally = random.below(2) == 0;
    let mut text = format!(
        "param N >= {};\nenum Mode {{ away, wants, has }}\nshared n: 0..{most} = {start};\nshared mode: Mode;\n",
        1 + random.below(2)
    );
    if tally {
        text = format!("{text}shared v: {};\n", random.one(&["0..N", "0..N", "0..N = N", "0..N + 1 = 1"]));
    }
    text += "process P[i: 1..N] {\n    local m: Mode;\n";
    if flag {
        text += "    local b: bool;\n";
    }
    let modes = ["away", "wants", "has"];
    for (number, from) in modes.iter().enumerate() {
        let mut guard = format!("m == {from}");
        let to = random.below(3) as usize;
        let mut update = format!("m = {}; ", modes[to]);
        // Mostly those that have something hold a permit, sometimes anything may happen.
        let change =
            if exact { i64::from(number == 2) - i64::from(to == 2) } else { random.below(4) as i64 - 1 };
        match change {
            -1 => {
                guard += " && n > 0";
                update += "n = n - 1; ";
            }
            1 => update += "n = n + 1; ",
            2 => update += random.one(&["n = 0; ", "n = min(n + 1, 1); "]),
            _ => {}
        }
        if tally {
            // The processes that want something, or a random change.
            let change = match random.below(8) {
                0 => random.below(3) as i64 - 1,
                _ => i64::from(to == 1) - i64::from(number == 1),
            };
            update = format!("{update}v = v + {change}; ").replace("+ -", "- ");
        }
        if random.below(3) == 0 {
            guard = format!("{guard} && {}", test(random, most, tally));
        }
        if flag {
            update += random.one(&["", "b = !b; ", "b = n > 0; "]);
        }
        update += random.one(&["", "", "", "mode = m; ", "mode = has; "]);
        text = format!("{text}    action a{number} when {guard} {{ {update}}}\n");
    }
    text += "}\n";
    if second {
        let guard = test(random, most, tally);
        let update = if exact { "" } else { random.one(&["n = n + 1; ", "n = n - 1; ", "mode = away; "]) };
        text = format!(
            "{text}process Q[k: 1..N] {{ local u: bool; action b0 when !u && {guard} {{ u = true; {update}}}
            action b1 when u {{ u = false; }} }}\n"
        );
    }
    if single {
        let guard = test(random, most, tally);
        let (take, give) = random.one(&["skip|skip", "n = n - 1|n = n + 1"]).split_once('|').expect("two");
        text = format!(
            "{text}process S {{ loop {{ wait: when n > 0 && {guard} {{ {take}; }} held: {give}; }} }}\n"
        );
    }
    for number in 0..3 {
        text += &claim(random, number, most, tally);
    }
    text
}

/// A condition for a guard.
fn test(random: &mut Random, most: u64, tally: bool) -> String {
    let (k, m) = (random.below(most + 1), random.one(&["away", "wants", "has"]));
    if tally && random.below(2) == 0 {
        return random
            .one(&[
                "v == 0",
                "v > 0",
                "v <= 1",
                "v < N",
                "v == N",
                "v + 1 == N",
                "N - v <= 1",
                "v >= 2",
                "v <= count(j in 1..N: P[j].m == has)",
            ])
            .to_owned();
    }
    match random.below(8) {
        6 => format!(
            "count(j in 1..N: P[j].m == {m}) {}",
            random.one(&[
                "== N",
                "< N",
                "== N - 1",
                "+ n <= 2",
                "+ count(j in 1..N: P[j].m == has) < N",
                ">= count(j in 1..N: P[j].m == has)",
            ])
        ),
        7 => format!("count(j in 1..N: P[j].m == {m}) + count(j in 1..N: P[j].m == has) <= {k}"),
        0 => format!("n == {k}"),
        1 => "n > 0".to_owned(),
        2 => format!("n < {most}"),
        3 => format!("mode == {m}"),
        4 => format!("(exists j in 1..N: P[j].m == {m})"),
        _ => format!("count(j in 1..N: P[j].m == {m}) <= {k}"),
    }
}

fn claim(random: &mut Random, number: u64, most: u64, tally: bool) -> String {
    let (a, b) = (random.one(&["away", "wants", "has"]), random.one(&["away", "wants", "has"]));
    let k = random.below(most + 1);
    let fair = random.one(&[
        "none",
        "weak P",
        "strong P",
        "weak all",
        "strong all",
        "weak P & strong P.a1",
        "global",
    ]);
    if random.below(5) == 0 {
        let sides = random.one(&[
            "count(j in 1..N: P[j].m == A || P[j].m == B) >= count(j in 1..N: P[j].m == B)",
            "count(j in 1..N: P[j].m == A) <= count(j in 1..N: P[j].m == B)",
            "count(j in 1..N: P[j].m == A) + count(j in 1..N: P[j].m == B) <= N + K",
            "sum(j in 1..N: if P[j].m == A { 2 } else { 1 }) > N + K",
            "n + count(j in 1..N: P[j].m == A) <= N + count(j in 1..N: P[j].m == B)",
        ]);
        let tallied = random.one(&[
            "v == count(j in 1..N: P[j].m == A)",
            "v + count(j in 1..N: P[j].m == A) == N",
            "v <= count(j in 1..N: P[j].m == A) + n",
        ]);
        let sides = if tally && random.below(2) == 0 { tallied } else { sides };
        let sides = sides.replace('A', a).replace('B', b).replace('K', &k.to_string());
        return match random.below(2) {
            0 => format!("invariant p{number}: {sides};\n"),
            _ => format!("property p{number}: G F ({sides}) under {fair};\n"),
        };
    }
    match random.below(9 + 3 * u64::from(tally)) {
        7 => format!("invariant p{number}: n + count(j in 1..N: P[j].m == {a}) == {k};\n"),
        8 => format!("invariant p{number}: sum(j in 1..N: if P[j].m == {a} {{ 2 }} else {{ 0 }}) <= {k};\n"),
        9 => format!("invariant p{number}: v == 0 -> forall j in 1..N: P[j].m != {a};\n"),
        10 => format!("property p{number}: G F (v == 0) under {fair};\n"),
        11 => format!("property p{number}: G (v == N -> F v < N) under {fair};\n"),
        0 | 1 => format!("invariant p{number}: count(j in 1..N: P[j].m == {a}) <= {k};\n"),
        2 => format!("invariant p{number}: n == {k} -> exists j in 1..N: P[j].m == {a};\n"),
        3 => format!("property p{number}: G F (n == {k}) under {fair};\n"),
        4 => format!(
            "property p{number}: G ((exists j in 1..N: P[j].m == {a}) -> F exists j in 1..N: P[j].m == {b}) under {fair};\n"
        ),
        5 => format!("property p{number}[i: 1..N]: G (P[i].m == {a} -> F P[i].m == {b}) under {fair};\n"),
        _ => format!("property p{number}: F G (forall j in 1..N: P[j].m != {a}) under {fair};\n"),
    }
}
