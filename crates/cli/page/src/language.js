// The colours of the language. What a text means is decided elsewhere; this only looks at words.
import { StreamLanguage, HighlightStyle, syntaxHighlighting } from "@codemirror/language";
import { tags } from "@lezer/highlight";

const set = (text) => new Set(text.split(" "));
const declarations = set(
  "action chan const define enum environment fairness init invariant local macro param process property shared stuttering",
);
const control = set(
  "assert atomic await choose either else for goto halt if let loop or release request skip stay when while",
);
const fairness = set(
  "all automaton compassion expect fails global holds justice never none processes sf strong uf unconditional under vacuously weak wf where with",
);
const temporal = set("A E AF AG AX EF EG EX F FG G GF R U W X");
const functions = set("count deadlock empty enabled exists forall full in len max min sum taken");
const types = set("any array bool int of");

export const words = [...declarations, ...control, ...fairness, ...functions, ...types, "true", "false"].sort();

export const language = StreamLanguage.define({
  name: "fair",
  languageData: { commentTokens: { line: "//" }, closeBrackets: { brackets: ["(", "[", "{", '"'] } },
  startState: () => ({ declares: false }),
  token(stream, state) {
    if (stream.eatSpace()) return null;
    if (stream.match("//")) {
      stream.skipToEnd();
      return "comment";
    }
    if (stream.match(/^"[^"]*"?/)) return "string";
    if (stream.match(/^[0-9]+/)) return "number";
    const found = stream.match(/^[A-Za-z_][A-Za-z0-9_]*/);
    if (found) {
      const word = found[0];
      const declared = state.declares;
      state.declares = false;
      if (declarations.has(word)) {
        state.declares = true;
        return "keyword";
      }
      if (control.has(word)) return "controlKeyword";
      if (fairness.has(word)) return "modifier";
      if (types.has(word)) return "typeName";
      if (word === "true" || word === "false") return "bool";
      if (temporal.has(word) && stream.match(/^\s*[[(!A-Za-z@]/, false)) return "operatorKeyword";
      if (functions.has(word)) return "operatorKeyword";
      if (declared) return "definition";
      if (stream.match(/^\s*:(?!=)/, false)) return "labelName";
      return "variableName";
    }
    if (stream.match(/^(->|&&|\|\||==|!=|<=|>=|\.\.|[-+*/%<>=!&|~@?])/)) return "operator";
    stream.next();
    return null;
  },
  tokenTable: { definition: tags.definition(tags.variableName) },
  indent(state, after, context) {
    const line = context.lineAt(context.pos, -1);
    const base = /^\s*/.exec(line.text)[0].length;
    const opens = /\{\s*(\/\/.*)?$/.test(line.text);
    return Math.max(0, base + (opens ? context.unit : 0) - (/^\s*\}/.test(after) ? context.unit : 0));
  },
});

export const colours = syntaxHighlighting(
  HighlightStyle.define([
    { tag: tags.comment, color: "var(--quiet)", fontStyle: "italic" },
    { tag: [tags.keyword, tags.controlKeyword], color: "var(--loop)", fontWeight: "500" },
    { tag: tags.modifier, color: "var(--fair)", fontWeight: "500" },
    { tag: tags.operatorKeyword, color: "var(--dot)", fontWeight: "600" },
    { tag: tags.operator, color: "var(--quiet)" },
    { tag: [tags.number, tags.bool, tags.string, tags.typeName], color: "var(--number)" },
    { tag: tags.labelName, color: "var(--dot)" },
    { tag: tags.definition(tags.variableName), fontWeight: "600" },
  ]),
);
