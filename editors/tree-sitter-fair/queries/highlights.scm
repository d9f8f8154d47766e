; Colours for .fair files.

(comment) @comment
(text) @string
(number) @number
[(true) (false)] @boolean
(deadlock) @constant.builtin

[
  "include" "const" "param" "enum" "record" "event" "define" "macro" "shared" "chan" "init" "process" "fairness" "invariant" "property" "local"
  "action" "stuttering" "environment" "under" "expect" "never" "automaton" "with" "of"
] @keyword

["holds" "fails" "vacuously"] @constant.builtin

["if" "else" "either" "or" "when" "where" "while" "loop" "for" "choose" "goto" "skip" "stay" "halt" "await" "atomic"
 "request" "release" "assert" "let" "sync"] @keyword.control

["forall" "exists" "in" "U" "W" "R" "S"] @keyword.operator
["wf" "sf" "uf" "justice" "compassion" "all" "processes"] @attribute
[(fairness_word) (global) (none)] @attribute
["bool" "int" "array" "set" "seq" "unordered" "lossy" "duplicating"] @type.builtin

[
  "=" "+=" "-=" "*=" "/=" "%=" "&=" "==" "!=" "<" "<=" ">" ">=" "+" "-" "*" "/" "%" "!" "?" "&&" "||" "->" "<->" "~>" "&" "|"
  "@" ".." "<>"
] @operator
["(" ")" "[" "]" "{" "}"] @punctuation.bracket
[";" ":" "," "."] @punctuation.delimiter

(prefix operator: _ @keyword.operator)
(path ["A" "E"] @keyword.operator)
(function name: _ @function.builtin)
(counted name: _ @function.builtin)

(constant name: (name) @constant)
(parameter name: (name) @constant)
(enumeration name: (name) @type)
(member) @constant
(record name: (name) @type)
(field name: (name) @property)
(record_value name: (name) @type)
(record_value field: (name) @property)
(joint name: (name) @function)
(sync name: (name) @function)
(type_name) @type
(definition name: (name) @function)
(macro name: (name) @function)
(call name: (name) @function)
(call_statement name: (name) @function)
(process name: (name) @type)
(party process: (name) @type)
(fairness name: (name) @attribute)
(fair_name) @attribute
(invariant name: (name) @function)
(property name: (name) @function)
(label) @label
(any) @constant.builtin
(part name: (name) @property)
(name) @variable
