// A walk: the steps that can be taken, taken ones, and back.
import { app } from "./state.js";
import { panel } from "./frame.js";
import { ask, askTruth } from "./asking.js";
import { currentRun, showPlaces } from "./chosen.js";
import { runBox, showPanel, showRunBox, showState, showTabs, stateBox } from "./panel.js";
import { saveItf } from "./panel-run.js";
import { pinRun } from "./panel-compare.js";
import { button, fill, h } from "./dom.js";
import { bindings, plainRun } from "./values.js";

export function startWalk(more = {}) {
  app.walk = { along: null, steps: 0, choices: [], random: 0, seed: app.walk?.seed ?? 1, number: null, ...more };
  walkOn();
}

export function fork(run, row) {
  app.tab = "simulate";
  showTabs();
  startWalk({ along: plainRun(run), steps: row });
}

export async function walkOn() {
  await ask("simulate", app.walk, (it) => {
    if (it.event === "walked") {
      app.walked = it;
      app.walk = { ...app.walk, choices: it.choices, random: 0 };
      app.row = it.run.steps.length;
      showPanel();
      askTruth();
      if (app.tab === "simulate") showPlaces(false);
    } else if (it.event === "failed") {
      app.walked = null;
      fill(panel, h("p", { class: "empty" }, it.message));
    }
  });
}

export function showWalk() {
  if (!app.walked) return fill(panel, h("p", { class: "empty" }, app.obstacle ? "There is nothing to walk through until the text has no errors." : "…"));
  const take = (k) => { app.walk.choices = [...app.walk.choices, k]; walkOn(); };
  const { offers, ending, fault } = app.walked;
  const seed = h("input", { type: "number", min: "0", value: String(app.walk.seed), "aria-label": "Seed", id: "seed", onchange: () => startWalk({ seed: Number(seed.value) }) });
  const steps = h("input", { type: "number", min: "1", max: "1000", value: "10", "aria-label": "Random steps", id: "random-steps" });
  fill(panel, h("p", { class: "row-actions" },
    button("Undo", undo, { id: "undo", title: "u", ...(app.walk.choices.length || app.walk.steps ? {} : { disabled: true }) }),
    button("Again", () => startWalk({}), { id: "restart" }),
    button("Random", () => { app.walk.random = Number(steps.value) || 1; walkOn(); }, { id: "random", title: "r" }), steps, h("label", {}, "seed ", seed)),
  h("section", { "aria-label": "Steps that can be taken" }, h("h3", {}, ending ? (ending === "deadlock" ? "Deadlock: no action is enabled" : `Fault: ${fault}`) : "What can happen next"),
    h("ol", { class: "offers" }, offers.map((it, k) => h("li", {}, button([h("b", {}, it.action), h("span", { class: "effect" }, it.fault ? `a fault: ${it.fault}` : bindings(it.changes) || "changes nothing")],
      () => take(k), { class: it.fault ? "offer faulty" : "offer", "data-action": it.action }))))),
  h("div", { class: "run-and-state" }, runBox, stateBox), h("p", { class: "row-actions" }, button("Save as ITF", () => saveItf(currentRun()), {}), button("Pin for comparison", () => pinRun(currentRun()), {})));
  showRunBox({ run: app.walked.run });
  showState();
}

export function undo() {
  if (app.walk.choices.length) app.walk.choices = app.walk.choices.slice(0, -1);
  else if (app.walk.steps > 0) app.walk.steps -= 1;
  walkOn();
}
