// Verdicts: their signs and words, beside the text, in the list, in the status line and above a run.
import { app } from "./state.js";
import { answers, bar, cancelButton, editor, propertyBox, status } from "./frame.js";
import { chooseProperty } from "./chosen.js";
import { button, fill, formula, h, indexed, number, prose } from "./dom.js";

function tone(outcome) {
  if (outcome.result.verdict === "unknown" || outcome.result.vacuous) return "unsure";
  if (outcome.as_expected === false) return outcome.result.verdict === "fails" ? "bad" : "unsure";
  return outcome.result.verdict === "fails" ? "plain" : "good";
}

/** What holds vacuously says nothing about the protocol, so it has a sign of its own. */
const sign = ({ result }) => (result.vacuous ? "∅" : { holds: "✓", fails: "✗", unknown: "?" }[result.verdict]);

export function words(outcome) {
  const { expected } = outcome.result;
  const as = outcome.as_expected === true && expected ? ", as expected" : outcome.as_expected === false && expected ? `, not as expected` : "";
  return outcome.words + as;
}

function foundBy({ result }) {
  const parts = [result.engine, result.verdict === "unknown" ? null : result.certified, result.scope === "this instance" ? null : result.scope,
    result.stats.states === undefined ? null : `${number(result.stats.states)} states`, `${result.seconds.toFixed(2)} s`];
  return result.engine ? parts.filter(Boolean).join(" · ") : "";
}

export function heading(outcome) {
  return [h("h2", {}, h("span", {}, indexed(outcome.result.property)), h("span", { class: `verdict ${tone(outcome)}` }, `${sign(outcome)} ${words(outcome)}`)),
    h("p", { class: "claim" }, formula(outcome.claim)),
    h("p", { class: "under" }, outcome.result.fairness && outcome.result.counterexample?.kind !== "path"
      ? ["under ", h("code", {}, outcome.result.fairness), " · "] : null, foundBy(outcome))];
}

export function showVerdicts() {
  const families = new Map();
  for (const property of app.opened?.properties ?? []) {
    const outcome = app.outcomes.get(property.name);
    if (outcome && property.span) families.set(property.family, [...(families.get(property.family) ?? []), [property, outcome]]);
  }
  const worst = ["bad", "unsure", "plain", "good"];
  editor.setVerdicts([...families.values()].map((members) => {
    const [property, outcome] = members.toSorted((a, b) => worst.indexOf(tone(a[1])) - worst.indexOf(tone(b[1])))[0];
    const alike = members.filter(([, it]) => it.result.verdict === outcome.result.verdict).length;
    const many = members.length > 1 ? (alike === members.length ? `all ${members.length} ` : `${alike} of ${members.length}: `) : "";
    return { from: property.span[0], to: property.span[1], sign: sign(outcome), tone: tone(outcome),
      words: many + words(outcome).replace(/^(holds|fails)/, (it) => (alike > 1 && alike === members.length ? it.slice(0, -1) : it)), property: property.name };
  }));
}

export function showStatus() {
  const errors = errorsOf(app.opened).length;
  const long = ["check", "explain", "cell", "advise", "graph", "load"].some((it) => app.busy.has(it));
  cancelButton.hidden = !long;
  answers.ariaBusy = String(app.pending || app.busy.size > 0);
  bar.hidden = !long;
  if (errors) status.textContent = `${errors} ${errors === 1 ? "error" : "errors"} in the text`;
  else if (long && app.progress) status.textContent = `${app.progress.property}: ${app.progress.phase}, ${number(app.progress.count)} ${app.progress.unit}`;
  else if (app.busy.has("check")) status.textContent = "Checking…";
  else if (app.busy.has("advise")) status.textContent = "Finding what each property needs…";
  else if (app.obstacle) status.textContent = app.obstacle;
  else {
    const all = [...app.outcomes.values()];
    const count = (verdict) => all.filter((it) => it.result.verdict === verdict).length;
    const wrong = all.filter((it) => it.as_expected === false).length;
    const parts = [[count("holds"), "hold"], [count("fails"), "fail"], [count("unknown"), "undecided"]].filter(([n]) => n)
      .map(([n, word]) => `${n} ${n === 1 && word !== "undecided" ? `${word}s` : word}`);
    status.textContent = all.length ? `${all.length === 1 ? "1 property" : `${all.length} properties`}: ${parts.join(", ")}${wrong ? `; ${wrong} not as expected` : count("unknown") ? "" : "; all as expected"}` : "No properties";
  }
  status.className = errors || app.obstacle ? "bad" : "";
}

export function showProperties() {
  const rows = [...app.outcomes.values()].map((it) => {
    const name = it.result.property;
    const chosen = name === app.property;
    return h("li", {}, button([h("b", { class: `sign ${tone(it)}`, "aria-hidden": "true" }, sign(it)), h("span", { class: "name" }, indexed(name)),
      h("span", { class: `verdict ${tone(it)}` }, words(it)), h("span", { class: "by" }, foundBy(it))], () => chooseProperty(name),
    { class: chosen ? "property chosen" : "property", "aria-pressed": String(chosen), "data-property": name, "data-verdict": it.result.verdict }));
  });
  const stale = errorsOf(app.opened).length > 0;
  fill(propertyBox, stale ? errorList() : null, rows.length ? h("ul", { class: stale ? "list stale" : "list", "aria-label": "Properties" }, rows) : null,
    app.notes.map((note) => h("p", { class: "note" }, h("b", {}, "Note "), prose(note))));
}

const errorsOf = (opened) => opened?.diagnostics.filter((it) => it.severity === "error") ?? [];

/** The errors of the text, each with its line, which it leads to. */
function errorList() {
  const row = ({ message, span, help }) => h("li", {}, button([h("span", { class: "by" }, `line ${editor.lineAt(span?.[0] ?? 0).number}`),
    h("span", {}, prose(help ? `${message}; ${help}` : message))], () => editor.goTo(span?.[0] ?? 0), { class: "error" }));
  return h("ul", { class: "list errors", "aria-label": "Errors in the text" }, errorsOf(app.opened).map(row));
}
