// Values of a state, as the language writes them, with the parts that have changed marked.
//
// A value is a text, or has parts: `{ record, fields }`, `{ set }`, `{ list }`, `{ queue }`; the session says so.
import { h } from "./dom.js";

/** The text of a value. */
export function text(value) {
  if (typeof value === "string") return value;
  if (value.record !== undefined) return `${value.record} { ${value.fields.map(([name, it]) => `${name}: ${text(it)}`).join(", ")} }`;
  if (value.set) return `{${value.set.map(text).join(", ")}}`;
  if (value.list) return `[${value.list.map(text).join(", ")}]`;
  return `[${value.queue.map((fields) => fields.map(text).join(",")).join(" ")}]`;
}

/** `x = 3`, `P[1]@try`. */
export const binding = (name, value) => (name.endsWith("@") ? name + text(value) : `${name} = ${text(value)}`);

/** All bindings of an object, in a line. */
export const bindings = (object) => Object.entries(object).map(([name, value]) => binding(name, value)).join(", ");

/** A run as requests have it: every value is a text. */
export function plainRun({ initial, steps, loop }) {
  const plain = (object) => Object.fromEntries(Object.entries(object).map(([name, value]) => [name, text(value)]));
  return { initial: plain(initial), steps: steps.map(({ action, changes }) => ({ action, changes: plain(changes) })), loop: loop ?? null };
}

const fresh = (...children) => h("mark", {}, children);

/** Stands where something was taken out. */
const gone = (values) => h("mark", { class: "gone", title: `without ${values.map(text).join(", ")}`, "aria-label": `without ${values.map(text).join(", ")}` });

/** Puts a sign between pieces. */
const join = (pieces, by) => pieces.map((piece, k) => (k ? [by, piece] : piece));

/** A value, with what differs from the value before marked; all of it is plain if there is none. */
export function marked(value, before) {
  if (before === undefined || typeof value === "string" || typeof before === "string") return text(value);
  if (value.record !== undefined) {
    const known = new Map(before.fields);
    return [`${value.record} { `, join(value.fields.map(([name, it]) => [`${name}: `, part(it, known.get(name))]), ", "), " }"];
  }
  if (value.set) {
    const known = new Set(before.set.map(text));
    const now = new Set(value.set.map(text));
    const left = before.set.filter((it) => !now.has(text(it)));
    return ["{", join(value.set.map((it) => (known.has(text(it)) ? text(it) : fresh(text(it)))), ", "), left.length ? gone(left) : null, "}"];
  }
  if (value.list) return ["[", items(value.list, before.list ?? [], ", "), "]"];
  const messages = (queue) => queue.map((fields) => fields.map(text).join(","));
  return ["[", items(messages(value.queue), messages(before.queue), " "), "]"];
}

const part = (value, before) => (before !== undefined && text(value) === text(before) ? text(value)
  : typeof value === "string" || before === undefined ? fresh(text(value)) : marked(value, before));

/** Items in order. What both begin and end with is the same; what lies between has changed. */
function items(now, before, by) {
  const same = (a, b) => text(a) === text(b);
  let [front, back] = [0, 0];
  while (front < now.length && front < before.length && same(now[front], before[front])) front += 1;
  while (back < now.length - front && back < before.length - front && same(now.at(-1 - back), before.at(-1 - back))) back += 1;
  const [middle, old] = [now.slice(front, now.length - back), before.slice(front, before.length - back)];
  const pieces = [
    ...now.slice(0, front).map(text),
    ...middle.map((it, k) => (middle.length === old.length ? part(it, old[k]) : fresh(text(it)))),
    ...now.slice(now.length - back).map(text),
  ];
  const hole = middle.length === 0 && old.length ? gone(old) : null;
  return [join(pieces.slice(0, front), by), hole, front && pieces.length > front ? by : "", join(pieces.slice(front), by)];
}
