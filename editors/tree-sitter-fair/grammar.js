// The grammar of .fair files for tree-sitter. It follows docs/language.md, section by section.
//
// It is a little more generous than the language: what the checker refuses (a temporal operator in a guard, a label
// inside a step) has a tree here. Words such as `F`, `U`, `in` and `count` are operators where an operator can stand and
// names elsewhere; tree-sitter follows both readings and keeps the one that works out.

const LEVEL = {
  quantifier: 0, iff: 1, implies: 2, or: 3, and: 4, until: 5, temporal: 6, comparison: 7, sum: 8, product: 9, unary: 10,
  postfix: 11,
};

const list = (rule) => seq(rule, repeat(seq(",", rule)));

module.exports = grammar({
  name: "fair",

  word: ($) => $._word,

  extras: ($) => [/\s/, $.comment, "\uFEFF"],

  conflicts: ($) => [
    // Words that are names elsewhere.
    [$._contextual, $.prefix],
    [$._contextual, $.path],
    [$._contextual, $.counted],
    [$._contextual, $.global],
    [$._contextual, $.none],
    [$._contextual, $.fair_all],
    [$._contextual, $.any],
    [$._contextual, $.assert],
    [$._contextual, $.request],
    [$._contextual, $.sequence_type],
    // A name that is a type or the beginning of a range; `max(j in …` or `max(j in … , …)`.
    [$.type_name, $._expression],
    [$.bound, $._expression],
    // `Vote { term: 1 }` is a record; after `if busy {` a statement with a label may follow.
    [$.record_value, $._expression],
    // `[]` is an empty sequence, or the operator before a formula.
    [$.prefix, $.array],
    // `A[p U q]` is a formula, `A[i]` an element.
    [$.path, $.binary],
  ],

  rules: {
    file: ($) => repeat($._item),

    comment: () => token(seq("//", /[^\n]*/)),
    text: () => /"[^"\n]*"/,
    number: () => /[0-9]+/,
    _word: () => /[A-Za-z_][A-Za-z0-9_]*/,

    // A name: also a word that is an operator or keyword only in other places.
    _name: ($) => choice($.name, alias($._contextual, $.name)),
    name: ($) => $._word,
    _contextual: () =>
      choice(
        "A", "AF", "AG", "AX", "E", "EF", "EG", "EX", "F", "FG", "G", "GF", "H", "O", "R", "S", "U", "W", "X", "Y",
        "append", "count", "empty", "enabled", "full", "head", "len", "max", "min", "sum", "tail", "taken",
        "all", "any", "assert", "automaton", "compassion", "duplicating", "environment", "event", "fails", "global",
        "holds", "include", "justice", "let", "lossy", "never", "none", "processes", "release", "request", "seq", "set",
        "strong", "stuttering", "sync", "unconditional", "unordered", "vacuously", "weak", "with",
      ),

    // Files

    _item: ($) =>
      choice(
        $.include, $.constant, $.parameter, $.enumeration, $.record, $.definition, $.macro, $.shared, $.channel, $.joint,
        $.initially, $.stuttering, $.process, $.fairness, $.invariant, $.property,
      ),

    include: ($) => seq("include", $.text, ";"),
    constant: ($) => seq("const", field("name", $._name), "=", $._expression, ";"),
    parameter: ($) => seq("param", field("name", $._name), ">=", $._expression, ";"),
    enumeration: ($) => seq("enum", field("name", $._name), "{", list(alias($._name, $.member)), optional(","), "}"),
    record: ($) => seq("record", field("name", $._name), "{", list($.field), optional(","), "}"),
    field: ($) => seq(field("name", $._name), ":", $._type),
    definition: ($) =>
      seq("define", field("name", $._name), optional(seq("(", list($._name), ")")), "=", $._expression, ";"),
    macro: ($) => seq("macro", field("name", $._name), "(", optional(list($._name)), ")", $.block),
    shared: ($) => seq("shared", $._variables),
    channel: ($) =>
      seq(
        "chan", field("name", $._name), optional(seq("[", $._values, "]")), ":", "[", $._expression, "]",
        repeat(choice("unordered", "lossy", "duplicating")), "of", list($._type), ";",
      ),
    joint: ($) => seq("event", list(field("name", $._name)), ";"),
    initially: ($) => seq("init", $._expression, ";"),
    stuttering: () => seq("stuttering", ";"),

    // Variables and types

    _variables: ($) => seq(list(field("name", $._name)), ":", $._type, optional($.initial), ";"),
    initial: ($) => choice(seq("=", choice($._expression, $.any)), seq("in", $._set)),
    any: () => "any",
    _type: ($) => choice("bool", "int", $.array_type, $.set_type, $.sequence_type, $.range, $.type_name),
    array_type: ($) => seq("array", "[", $._values, "]", "of", $._type),
    set_type: ($) => seq("set", "of", $._type),
    sequence_type: ($) => seq("seq", "[", $._expression, "]", "of", $._type),
    type_name: ($) => $._name,
    range: ($) => prec.left(LEVEL.comparison, seq($._expression, "..", $._expression)),
    _values: ($) => choice($.range, $.type_name),
    // What a quantifier, a choice or `in` goes through: a range, a set, or the messages of a channel.
    _set: ($) => choice($.range, $._expression, "int"),
    set: ($) => seq("{", optional(list($._expression)), "}"),

    // Processes

    process: ($) =>
      seq(
        optional("environment"), "process", field("name", $._name), optional(seq("[", list($.binder), "]")), "{",
        repeat(choice($.local, $.action)), repeat($._statement), "}",
      ),
    binder: ($) => seq(field("name", $._name), ":", $._values),
    bound: ($) => seq(field("name", $._name), "in", $._set),
    local: ($) => seq("local", $._variables),
    action: ($) =>
      seq(
        optional("environment"), "action", $._label, optional(seq("(", list($.binder), ")")),
        optional(seq("when", $._expression)), $.block,
      ),
    _label: ($) => choice($.label, $.annotated),
    label: ($) => choice($._name, "in"),
    annotated: ($) => seq(choice("wf", "sf", "uf"), "(", $.label, ")"),
    block: ($) => seq("{", repeat($._statement), "}"),

    _statement: ($) => seq(optional(seq($._label, ":")), $._simple),
    _simple: ($) =>
      choice(
        $.skip, $.stay, $.halt, $.assignment, $.assert, $.let, $.call_statement, $.for, $.await, $.request, $.when,
        $.atomic, $.choose, $.sync, $.send, $.receive, $.if, $.while, $.loop, $.either, $.goto,
      ),
    skip: () => seq("skip", ";"),
    stay: () => seq("stay", ";"),
    halt: () => seq("halt", ";"),
    assignment: ($) =>
      seq(list($._place), choice("=", "+=", "-=", "*=", "/=", "%=", "&="), list($._expression), ";"),
    assert: ($) => seq("assert", $._expression, optional($.text), ";"),
    let: ($) => seq("let", list(choice($._name, "_")), "=", $._expression, optional("?"), ";"),
    call_statement: ($) => seq(field("name", $._name), "(", optional(list($._expression)), ")", ";"),
    for: ($) => seq("for", $.bound, $.block),
    await: ($) => seq("await", $._expression, ";"),
    request: ($) => seq(choice("request", "release"), $._place, ";"),
    when: ($) => seq("when", $._expression, $.block),
    atomic: ($) => seq("atomic", $.block),
    choose: ($) =>
      seq("choose", field("name", $._name), "in", $._set, optional(seq("where", $._expression)), $.block),
    sync: ($) => seq("sync", field("name", $._name), ";"),
    send: ($) => seq($._place, "!", list($._expression), ";"),
    receive: ($) => seq($._place, "?", list(choice($._place, "_")), ";"),
    if: ($) => seq("if", $._expression, $.block, optional(seq("else", choice($.block, $.if)))),
    while: ($) => seq("while", $._expression, $.block),
    loop: ($) => seq("loop", $.block),
    either: ($) => seq("either", $.block, repeat(seq("or", $.block))),
    goto: ($) => seq("goto", $.label, ";"),

    // Expressions

    _place: ($) => choice($._name, $.item, $.part, $.at),
    _expression: ($) =>
      choice(
        $._name, $.number, $.true, $.false, $.deadlock, $.call, $.function, $.item, $.part, $.at, $.prefix, $.binary,
        $.membership, $.path, $.conditional, $.quantified, $.counted, $.array, $.set, $.record_value, $.size,
        $.parenthesized,
      ),
    true: () => "true",
    false: () => "false",
    deadlock: () => "deadlock",
    record_value: ($) =>
      seq(field("name", $._name), "{", list(seq(field("field", $._name), ":", $._expression)), optional(","), "}"),
    size: ($) => seq("|", $._expression, "|"),
    parenthesized: ($) => seq("(", $._expression, ")"),
    call: ($) => prec(LEVEL.postfix, seq(field("name", $._name), "(", list($._expression), ")")),
    function: ($) =>
      prec.dynamic(1, prec(LEVEL.postfix, choice(
        seq(field("name", choice("min", "max", "len", "empty", "full", "append", "head", "tail")), "(", list($._expression), ")"),
        seq(field("name", choice("taken", "enabled")), "(", $.event, ")"),
      ))),
    counted: ($) =>
      prec.dynamic(1, seq(field("name", choice("count", "sum", "min", "max")), "(", $.bound, ":", $._expression, ")")),
    quantified: ($) => prec.right(LEVEL.quantifier, seq(choice("forall", "exists"), $.bound, ":", $._expression)),
    conditional: ($) =>
      seq("if", $._expression, "{", $._expression, "}", "else", choice(seq("{", $._expression, "}"), $.conditional)),
    _whole: ($) => choice($._place, $.call, $.function, $.parenthesized),
    item: ($) => prec(LEVEL.postfix, seq($._whole, "[", $._expression, "]")),
    part: ($) => prec(LEVEL.postfix, seq($._whole, ".", field("name", $._name))),
    at: ($) => prec(LEVEL.postfix, seq($._place, "@", $.label)),
    array: ($) => seq("[", optional(choice(list($._expression), seq(field("name", $._name), ":", $._expression))), "]"),
    prefix: ($) =>
      choice(
        prec(LEVEL.unary, seq(choice("!", "-"), $._expression)),
        // The level is that of the whole, not of the word: whether `F` before `{` is an operator is seen only later.
        prec.dynamic(1, seq(
          field("operator", choice("G", "F", "X", "GF", "FG", "Y", "O", "H", "AG", "AF", "AX", "EG", "EF", "EX", "<>", seq("[", "]"))),
          prec.right(LEVEL.temporal, $._expression),
        )),
      ),
    path: ($) =>
      prec.dynamic(1, seq(
        choice("A", "E"), "[", $._expression, field("operator", choice("U", "W")), $._expression, "]",
      )),
    binary: ($) =>
      choice(
        prec.right(LEVEL.iff, seq($._expression, "<->", $._expression)),
        prec.right(LEVEL.implies, seq($._expression, choice("->", "~>"), $._expression)),
        prec.left(LEVEL.or, seq($._expression, "||", $._expression)),
        prec.left(LEVEL.and, seq($._expression, "&&", $._expression)),
        prec.right(LEVEL.until, seq($._expression, field("operator", choice("U", "W", "R", "S")), $._expression)),
        prec.left(LEVEL.comparison, seq($._expression, choice("==", "!=", "<", "<=", ">", ">="), $._expression)),
        prec.left(LEVEL.sum, seq($._expression, choice("+", "-"), $._expression)),
        prec.left(LEVEL.product, seq($._expression, choice("*", "/", "%", "&"), $._expression)),
      ),
    membership: ($) => prec.left(LEVEL.comparison, seq($._expression, "in", choice($.range, $._expression, "int"))),

    event: ($) => choice($.any, seq($.party, repeat(seq("+", $.party)), optional(seq("(", list($._expression), ")")))),
    party: ($) => seq(field("process", $._name), repeat(seq("[", $._expression, "]")), optional(seq(".", $.label))),

    // Fairness

    fairness: ($) => seq("fairness", optional(seq(field("name", $._name), ":")), $._fair, ";"),
    _fair: ($) => choice($.fair_or, $.fair_and, $._fair_one),
    fair_or: ($) => prec.left(1, seq($._fair, "|", $._fair)),
    fair_and: ($) => prec.left(2, seq($._fair, "&", $._fair)),
    _fair_one: ($) =>
      choice(
        $.fair_of, $.fair_all, $.justice, $.compassion, $.fair_for, $.global, $.none, $.fair_name,
        seq("(", $._fair, ")"),
      ),
    fair_of: ($) => seq($.fairness_word, $.event),
    fair_all: ($) => prec.dynamic(1, seq($.fairness_word, choice("all", "processes"))),
    fairness_word: () => choice("weak", "strong", "unconditional"),
    justice: ($) => seq("justice", "(", $._expression, ")"),
    compassion: ($) => seq("compassion", "(", $._expression, ",", $._expression, ")"),
    fair_for: ($) => prec(3, seq("for", $.bound, ":", $._fair_one)),
    global: () => prec.dynamic(1, "global"),
    none: () => prec.dynamic(1, "none"),
    fair_name: ($) => $._name,

    // Properties

    invariant: ($) => seq("invariant", field("name", $._name), optional($.members), ":", $._expression, optional($.expect), ";"),
    property: ($) =>
      seq(
        "property", field("name", $._name), optional($.members), ":", choice($._expression, $.never),
        optional(seq("under", $._fair)), optional($.expect), ";",
      ),
    members: ($) => seq("[", list($.binder), "]", optional(seq("where", $._expression))),
    never: ($) => prec.dynamic(1, seq("never", "automaton", $.text, optional(seq("with", list($.proposition))))),
    proposition: ($) => seq(field("name", choice($._name, $.text)), "=", $._expression),
    expect: () => seq("expect", choice(seq("holds", optional("vacuously")), "fails")),
  },
});
