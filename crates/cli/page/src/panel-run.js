// The run against the chosen property, or one from a file.
import { app } from "./state.js";
import { panel, say } from "./frame.js";
import { ask, askTruth, lookAtProperty, modelName } from "./asking.js";
import { chooseRow, currentRun, showPlaces } from "./chosen.js";
import { heading } from "./verdicts.js";
import { runBox, showAll, showPanel, showRunBox, showState, stateBox } from "./panel.js";
import { assuming } from "./panel-fairness.js";
import { pinRun } from "./panel-compare.js";
import { button, fill, h, prose } from "./dom.js";
import { account, ledger } from "./run.js";
import { plainRun } from "./values.js";
import { download } from "./share.js";

const ENDINGS = {
  path: "Here it is false; fairness has no part in it.", fault: "Here a fault ends the run; fairness has no part in it.",
  state: "In this initial state the formula is false.", beginning: "From here the run can go on like this for ever, fairly.",
};

export function showRun() {
  const outcome = app.outcomes.get(app.property);
  const current = currentRun();
  if (!outcome && !app.loaded) return fill(panel, h("p", { class: "empty" }, app.obstacle ? "There is nothing to show until the text has no errors." : "No property is chosen."));
  const found = outcome?.result.counterexample;
  const top = app.loaded ? [h("h2", {}, app.loaded.name), loadedWords(), button("Back to the property", () => { app.loaded = null; showAll(); lookAtProperty(); })] : heading(outcome);
  const notes = app.loaded ? [] : outcome.result.notes;
  fill(panel, top,
    notes.map((note) => h("p", { class: "note" }, h("b", {}, "Note "), prose(note))),
    current ? h("div", { class: "run-and-state" }, h("div", {}, runBox,
      !app.loaded && found && ENDINGS[found.kind] ? h("p", { class: "ending" }, "✗ ", found.fault ? `Fault ${found.fault}. ` : "", ENDINGS[found.kind]) : null), stateBox) : null,
    current ? ledger(current.ledger, chooseRow) : null,
    app.loaded ? null : account(app.stories.get(app.property), assuming()),
    current ? h("p", { class: "row-actions" }, button("Save as ITF", () => saveItf(current), { id: "save-itf" }), loadButton(),
      button("Pin for comparison", () => pinRun(current), { id: "pin" })) : h("p", { class: "row-actions" }, loadButton()));
  if (current) {
    showRunBox(current);
    showState();
    showPlaces(false);
  }
}

function loadedWords() {
  const { judged, why, property } = app.loaded;
  if (!property) return h("p", {}, "A run of this model.");
  if (judged === "genuine") return h("p", {}, "The judge has checked it: it is a counterexample to ", h("code", {}, property), ".");
  return h("p", {}, judged === "refused" ? "The judge refuses it as a counterexample to " : "It was not decided whether it is a counterexample to ",
    h("code", {}, property), `: ${why ?? "the property is not there"}`);
}

export async function saveItf(current) {
  await ask("itf", { run: plainRun(current.run), property: current.property ?? null }, (it) => {
    if (it.event === "itf") download(`${modelName()}.${(current.property ?? "walk").replace(/[^\w-]+/g, ".").replace(/\.$/, "")}.itf.json`, it.text);
    else if (it.event === "failed") say(it.message);
  });
}

function loadButton() {
  const input = h("input", { type: "file", accept: ".json,application/json", class: "out", id: "load-file", "aria-label": "Load a run", tabindex: "-1",
    onchange: async () => { if (input.files[0]) loadRun(await input.files[0].text(), input.files[0].name); } });
  return [button("Load a run", () => input.click(), { id: "load" }), input];
}

function loadRun(text, name) {
  ask("load", { document: text, property: app.property }, (it) => {
    if (it.event === "loaded") {
      app.loaded = { ...it, name };
      app.row = 0;
      showPanel();
      askTruth();
    } else if (it.event === "failed") say(it.message);
  });
}
