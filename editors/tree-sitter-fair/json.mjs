// Writes the grammar as JSON, as `tree-sitter generate` does: node json.mjs > src/grammar.json
import { createRequire } from "node:module";

const SYMBOL = (name) => ({ type: "SYMBOL", name });
const rule = (value) => {
  if (typeof value === "string") return { type: "STRING", value };
  if (value instanceof RegExp) return { type: "PATTERN", value: value.source };
  return value;
};
const members = (values) => values.map(rule);
const ranked = (type) => (level, content) =>
  content === undefined
    ? { type, value: 0, content: rule(level) }
    : { type, value: level, content: rule(content) };

Object.assign(globalThis, {
  alias: (content, value) => ({ type: "ALIAS", content: rule(content), named: typeof value !== "string", value: value.name ?? value }),
  choice: (...values) => ({ type: "CHOICE", members: members(values) }),
  field: (name, content) => ({ type: "FIELD", name, content: rule(content) }),
  optional: (value) => ({ type: "CHOICE", members: [rule(value), { type: "BLANK" }] }),
  prec: Object.assign(ranked("PREC"), {
    left: ranked("PREC_LEFT"), right: ranked("PREC_RIGHT"), dynamic: ranked("PREC_DYNAMIC"),
  }),
  repeat: (content) => ({ type: "REPEAT", content: rule(content) }),
  seq: (...values) => ({ type: "SEQ", members: members(values) }),
  token: (content) => ({ type: "TOKEN", content: rule(content) }),
  grammar: (source) => source,
});

const source = createRequire(import.meta.url)("./grammar.js");
const symbols = new Proxy({}, { get: (_, name) => SYMBOL(name) });
const rules = Object.fromEntries(Object.entries(source.rules).map(([name, make]) => [name, rule(make(symbols))]));
const names = (list) => list.map((symbol) => symbol.name);
console.log(JSON.stringify({
  name: source.name,
  word: source.word(symbols).name,
  rules,
  extras: members(source.extras(symbols)),
  conflicts: source.conflicts(symbols).map(names),
  precedences: [],
  externals: [],
  inline: [],
  supertypes: [],
}));
