// Two runs side by side, and two versions of a model by their verdicts.
import { h, scroller } from "./dom.js";
import { states } from "./run.js";
import { bindings, text } from "./values.js";

/** How long two runs are the same: the number of steps before the first difference. */
export function common(one, other) {
  const same = (a, b) => JSON.stringify(a) === JSON.stringify(b);
  if (!same(one.initial, other.initial)) return -1;
  let k = 0;
  while (k < one.steps.length && k < other.steps.length && one.steps[k].action === other.steps[k].action &&
    same(one.steps[k].changes, other.steps[k].changes)) k += 1;
  return k;
}

const sorted = (state) => Object.entries(state).sort(([a], [b]) => (a < b ? -1 : 1));

/** Two runs. */
export function compareRuns(one, other, names) {
  const alike = common(one, other);
  const length = Math.max(one.steps.length, other.steps.length);
  const cell = (run, k) => {
    if (k === 0) return bindings(run.initial);
    const step = run.steps[k - 1];
    return step ? [h("b", {}, step.action), " ", bindings(step.changes)] : run.loop === null || run.loop === undefined ? "" :
      k === run.steps.length + 1 ? `back to ${run.loop}` : "";
  };
  const [a, b] = [states(one), states(other)];
  const apart = alike + 1;
  const differs = apart <= length && a[apart] && b[apart]
    ? sorted(a[apart]).filter(([name, value]) => text(b[apart][name] ?? "") !== text(value)).map(([name]) => name) : [];
  return h("div", {},
    h("p", {}, alike < 0 ? "They begin in different states." : alike === one.steps.length && alike === other.steps.length
      ? "The two runs are the same." : `They are the same for ${alike} step${alike === 1 ? "" : "s"}; step ${alike + 1} is another.`,
    differs.length ? [" Then they differ in ", differs.map((name, k) => [k ? ", " : "", h("code", {}, name.replace(/@$/, " (location)"))]), "."] : null),
    scroller(h("table", { class: "compare" },
      h("thead", {}, h("tr", {}, h("th", { scope: "col" }), h("th", { scope: "col" }, names[0]), h("th", { scope: "col" }, names[1]))),
      h("tbody", {}, Array.from({ length: length + 2 }, (_, k) => h("tr", { class: k > alike ? "differs" : "same", "data-row": k },
        h("td", { class: "number" }, k > length ? "" : k), h("td", {}, cell(one, k)), h("td", {}, cell(other, k))))))));
}

/** Verdicts of two versions: those that are different now. */
export function compareVersions(before, now) {
  const names = [...new Set([...before.keys(), ...now.keys()])];
  const verdict = (map, name) => map.get(name)?.result.verdict ?? "not there";
  const changed = names.filter((name) => verdict(before, name) !== verdict(now, name));
  return h("div", { class: "versions" },
    changed.length === 0 ? h("p", {}, "All verdicts are as they were.") : h("ul", {}, changed.map((name) => h("li", { "data-property": name },
      h("code", {}, name), ` ${verdict(before, name)} → `, h("b", {}, verdict(now, name))))));
}
