//! Enums as the indices of arrays, families, channels, quantifiers, choices and properties.

use crate::explore::{initial, model, start};
use crate::said::said;

const NODES: &str = "enum Node { ann, bob, cy } ";

#[test]
fn an_enum_is_an_index_everywhere() {
    let mut walk = start(&format!(
        "{NODES} shared up: array[Node] of bool = [n: n != bob]; shared last: Node; chan box[Node]: [1] of Node;
         process P[i: Node] {{
            local votes: array[Node] of 0..3;
            action vote(to: Node) when up[to] && to != i && (forall n in Node: votes[n] == 0) {{ votes[to] += 1; last = to; }}
            a: box[i]!i; b: atomic {{ let m = box[ann]?; last = m; for n in Node {{ votes[n] = 1; }} }}
            c: choose n in Node where n != i {{ last = n; }}
         }}"
    ));
    assert_eq!(
        walk.here(),
        "up[ann] = true up[bob] = false up[cy] = true last = ann box[ann] = [] box[bob] = [] box[cy] = [] \
         P[ann]@a P[ann].votes[ann] = 0 P[ann].votes[bob] = 0 P[ann].votes[cy] = 0 \
         P[bob]@a P[bob].votes[ann] = 0 P[bob].votes[bob] = 0 P[bob].votes[cy] = 0 \
         P[cy]@a P[cy].votes[ann] = 0 P[cy].votes[bob] = 0 P[cy].votes[cy] = 0"
    );
    assert_eq!(
        walk.enabled(),
        [
            "P[ann].vote(cy)",
            "P[bob].vote(ann)",
            "P[bob].vote(cy)",
            "P[cy].vote(ann)",
            "P[ann].a",
            "P[bob].a",
            "P[cy].a"
        ]
    );
    assert_eq!(walk.take("P[bob].vote(cy)"), "last = cy P[bob].votes[cy] = 1");
    assert_eq!(walk.take("P[ann].a"), "box[ann] = [ann] P[ann]@b");
    assert_eq!(
        walk.take("P[ann].b"),
        "last = ann box[ann] = [] P[ann]@c P[ann].votes[ann] = 1 P[ann].votes[bob] = 1 P[ann].votes[cy] = 1"
    );
    assert_eq!(walk.outcomes("P[ann].c"), ["last = bob P[ann]@end", "last = cy P[ann]@end"]);
}

#[test]
fn members_of_families_of_properties_are_named() {
    let model = model(&format!(
        "{NODES} shared x: Node; process P[i: Node] {{ action go {{ x = i; }} }}
         fairness each: for n in Node: weak P[n].go;
         property reached[n: Node]: F (x == n && taken(P[n].go)) under each;"
    ));
    let names: Vec<String> = model.checks.iter().map(|check| check.task.property.name.to_string()).collect();
    assert_eq!(names, ["reached[ann]", "reached[bob]", "reached[cy]"]);
    let task = &model.checks[1].task;
    assert_eq!(model::show::kind(model.system(), &task.property.kind), "F (x == bob && taken(P[bob].go))");
    assert_eq!(model::show::fairness(model.system(), &task.fairness), "weak P.go");
}

#[test]
fn initial_values_of_enum_arrays_can_be_listed() {
    assert_eq!(
        initial(&format!("{NODES} shared a: array[Node] of Node = [bob, cy, ann];")),
        ["a[ann] = bob a[bob] = cy a[cy] = ann"]
    );
}

#[test]
fn an_index_is_of_its_enum() {
    assert_eq!(
        said(&format!(
            "{NODES} enum Other {{ o }} const N = 3; shared a: array[Node] of bool; shared b: array[N] of bool;
             process P[i: Nod] {{ skip; }} process Q[i: Node] {{ action go(k: Node) {{ a[1] = a[o]; }} }}
             invariant x: (forall n in Node: n == 1) && a[ann] && ann in Node && 1 in Node;
             property p: F taken(Q[1]) && F taken(Q[ann].go(2));"
        )),
        [
            "«N» `N` is not a range | expected `lo..hi` or an enum | help: write `1..N` or `0..N` for a range of numbers",
            "«Nod» `Nod` is not a range | expected `lo..hi` or an enum | help: did you mean `Node`?",
            "«1» expected a member of `Node`, found a number | this is a number",
            "«o» expected a member of `Node`, found a member of `Other` | this is a member of `Other`",
            "«n == 1» a member of `Node` is compared with a number | never the same kind | «n» a member of `Node` | «1» a number",
            "«1» expected a member of `Node`, found a number | this is a number",
            "«1» expected a member of `Node`, found a number | this is a number",
            "«2» expected a member of `Node`, found a number | this is a number",
        ]
    );
}

#[test]
fn a_family_of_properties_has_several_indices_and_a_condition() {
    let names = |family: &str| {
        let text = format!(
            "{NODES} shared x: array[Node] of 0..3; process P {{ skip; }} invariant p{family}: true;"
        );
        let checks = model(&text).checks;
        checks.iter().map(|check| check.task.property.name.to_string()).collect::<Vec<_>>()
    };
    assert_eq!(
        names("[m: Node, n: Node] where m != n && m != cy"),
        ["p[ann][bob]", "p[ann][cy]", "p[bob][ann]", "p[bob][cy]"]
    );
    assert_eq!(names("[i: 1..2, n: Node] where i == 1"), ["p[1][ann]", "p[1][bob]", "p[1][cy]"]);
    assert_eq!(names("[i: 1..9] where i % 4 == 0"), ["p[4]", "p[8]"]);
    assert_eq!(
        said(
            "shared x: bool; process P { skip; } invariant p[i: 1..2] where x: true; invariant q[i: 1..200, j: 1..200]: true;"
        ),
        [
            "«x» the condition of a family may not depend on the state | a variable has its value in a state | help: only constants, parameters and indices have the same value in every state",
            "«1..200, j: 1..200» a family of 40000 properties is too large | at most 10000 members",
        ]
    );
    assert_eq!(
        said(
            "param N >= 2; process P[i: 1..N] { a: skip; } invariant p[i: 1..N, j: 1..N] where i != j: true;"
        ),
        ["«p» a condition needs a family whose members are known | its range depends on a parameter"]
    );
    let alone = "process P { skip; } invariant p[i: 1..1, j: 1..1] where i != j: true;";
    assert_eq!(said(alone), ["«i != j» there are no properties | false for all members of the family"]);
    assert_eq!(
        said(&format!("{alone} invariant q: true;")),
        ["warning: «i != j» the family `p` has no members | false for all of them"]
    );
}
