// The colours of the language. What a text means is decided elsewhere; this only looks at words.
import { StreamLanguage, HighlightStyle, syntaxHighlighting } from "@codemirror/language";
import { tags } from "@lezer/highlight";
import grammar from "../../../../editors/vscode/syntaxes/fair.tmLanguage.json";

// The words are those of the grammar for editors, which a test holds to the table of the language.
const wordsOf = (...rules) => new Set(rules.flatMap((rule) => /\(([\w|]+)\)/.exec(grammar.repository[rule].match)[1].split("|")));
const declarations = wordsOf("declaration");
const control = wordsOf("statement");
const fairness = wordsOf("fairness", "claim");
const temporal = wordsOf("temporal");
const functions = wordsOf("function");
const operators = wordsOf("expression");
const types = wordsOf("type");
const values = wordsOf("value");

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
      if (!declared && stream.match(/^\s*:(?![:=])/, false) && !values.has(word)) return "labelName";
      if (control.has(word)) return "controlKeyword";
      if (fairness.has(word)) return "modifier";
      if (types.has(word)) return "typeName";
      if (values.has(word)) return "bool";
      if (operators.has(word)) return "operatorKeyword";
      if (temporal.has(word) && stream.match(/^\s*[[(!A-Za-z@]/, false)) return "operatorKeyword";
      if (functions.has(word) && stream.match(/^\s*\(/, false)) return "operatorKeyword";
      if (declared) return "definition";
      return "variableName";
    }
    if (stream.match(/^(<->|->|~>|&&|\|\||==|!=|<=|>=|\.\.|[-+*/%<>=!&|~@?])/)) return "operator";
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

const REMARKS = { smv: "--", smt2: ";" };

/** Another language: only comments, texts and numbers have colours, and words before a bracket or a colon are none of ours. */
export const other = (ending) => {
  const remark = REMARKS[ending] ?? "//";
  return StreamLanguage.define({
    name: ending,
    languageData: { commentTokens: { line: remark }, closeBrackets: { brackets: ["(", "[", "{", '"'] } },
    startState: () => ({ remark: false }),
    token(stream, state) {
      if (state.remark || stream.match("/*")) {
        state.remark = !stream.match(/^.*?\*\//);
        if (state.remark) stream.skipToEnd();
        return "comment";
      }
      if (stream.match(remark)) {
        stream.skipToEnd();
        return "comment";
      }
      if (stream.match(/^"[^"]*"?/)) return "string";
      if (stream.match(/^[0-9]+/)) return "number";
      if (!stream.match(/^[A-Za-z_]\w*/)) stream.next();
      return null;
    },
  });
};

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
