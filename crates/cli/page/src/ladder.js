// The ladder as a control: under which kinds of fairness each property holds. A cell shows the run or the reason, and what is
// enough can be assumed: that edits the text.
import { h, button, formula, indexed, prose, scroller } from "./dom.js";

const RUNGS = ["none", "process-weak", "weak", "process-strong", "strong", "global", "declared"];
const SIGNS = { holds: ["✓", "yes"], fails: ["✗", "no"], unknown: ["?", "open"] };

/** The table. `view` has `advice` (a map), `names`, `cell` (`[property, rung]`), `choose(property, rung)`. */
export function ladderTable(view) {
  const head = h("tr", {}, h("th", { scope: "col" }, h("span", { class: "out" }, "Property")),
    RUNGS.map((rung) => h("th", { scope: "col", class: rung === "declared" ? "apart" : "" }, h("span", {}, rung))));
  const row = (name) => {
    const advice = view.advice.get(name);
    return h("tr", {}, h("th", { scope: "row" }, indexed(name)), RUNGS.map((rung) => {
      const verdict = advice?.ladder[rung];
      const apart = rung === "declared" ? " apart" : "";
      if (!verdict) return h("td", { class: `wait${apart}` }, h("span", { "aria-label": "not known yet" }, "·"));
      const [sign, tone] = SIGNS[verdict];
      const chosen = view.cell?.[0] === name && view.cell?.[1] === rung;
      return h("td", { class: tone + apart }, button(sign, () => view.choose(name, rung), {
        class: chosen ? "cell chosen" : "cell", "data-property": name, "data-rung": rung,
        "aria-pressed": String(chosen), "aria-label": `${name} under ${rung}: ${verdict}`,
      }));
    }));
  };
  return scroller(h("table", { class: "ladder" },
    h("caption", { class: "out" }, "Under which kinds of fairness each property holds"),
    h("thead", {}, head), h("tbody", {}, view.names.map(row))));
}

/** What a property needs, in words, with buttons that assume it; without, if `assume` is null. */
export function needs(advice, assume) {
  if (!advice) return null;
  const offer = (words, set) => (assume
    ? button(["Assume ", h("code", {}, words)], () => assume(set), { class: "assume" }) : h("code", {}, words));
  const vacuous = new Map(advice.vacuous.map((it) => [it.set, it.premise]));
  const sets = advice.minimal.map((set, k) => h("li", {},
    offer(set.join(" & ") || "none", set),
    advice.brittle.includes(k) && advice.brittle.length < advice.minimal.length ? h("span", { class: "caveat" }, " only because nothing else can move meanwhile") : null,
    vacuous.has(k) ? h("span", { class: "caveat" }, " but then ", h("code", {}, vacuous.get(k)), " never happens") : null));
  const list = (items, words) => items.length ? h("p", {}, words, items.map((it, k) => [k ? ", " : "", h("code", {}, it)])) : null;
  return h("section", { class: "needs", "aria-label": `What ${advice.property} needs` },
    h("h3", {}, advice.property), h("p", { class: "claim" }, formula(advice.claim)),
    advice.expected_to_fail ? h("p", { class: "legend" }, "It is expected to fail.") : null,
    advice.present ? h("p", {}, prose(advice.present)) : null,
    advice.addition ? h("p", {}, offer(advice.addition.join(" & "), advice.addition)) : null,
    advice.needs === "some"
      ? [h("p", {}, advice.minimal.length > 1 ? "Any one of these alone is enough, and nothing can be left out of it:" : "This alone is enough, and nothing can be left out of it:"),
        h("ul", { class: "sets" }, sets), advice.beside.map((it) => h("p", { class: "legend" }, prose(it)))]
      : h("p", {}, prose(advice.says)),
    advice.offers_global ? h("p", {}, offer("global", ["global"])) : null,
    advice.less ? h("p", {}, prose(advice.less)) : null,
    advice.if_it_ends ? h("p", {}, offer(advice.if_it_ends.join(" & "), advice.if_it_ends)) : null,
    advice.declared ? h("p", { class: "legend" }, "Declared: ", h("code", {}, advice.declared)) : null,
    list(advice.superfluous, "Not needed of what is declared: "),
    advice.too_strong.map((it) => h("p", {}, h("code", {}, it.requirement), " is stronger than it need be; ", h("code", {}, it.suffices), " is enough.")),
    advice.notes.map((note) => h("p", { class: "note" }, prose(note))));
}
