// What is chosen: a property, a tab, a step; and the run that is looked at.
import { app } from "./state.js";
import { editor, panel, tabList } from "./frame.js";
import { lookAtProperty } from "./asking.js";
import { showAll, showPanel, showState, showTabs } from "./panel.js";
import { startWalk } from "./panel-walk.js";
import { drawGraph } from "./panel-graph.js";
import { moveRow } from "./run.js";

export function firstOfInterest() {
  const all = [...app.outcomes.values()];
  const found = all.find((it) => it.as_expected === false) ?? all.find((it) => it.result.verdict === "fails") ?? all[0];
  return found?.result.property ?? null;
}

/** The run that is looked at: of the chosen cell, of the walk, of a file, or of the chosen property. */
export function currentRun() {
  if (app.tab === "simulate") return app.walked ? { run: app.walked.run, sources: app.walked.run.sources } : null;
  if (app.tab === "fairness" && app.cellOutcome) return ofOutcome(app.cellOutcome, app.cellOutcome.story);
  if (app.loaded && app.tab === "run") return { run: app.loaded.run, sources: app.loaded.run.sources, ledger: app.loaded.fairness, property: app.loaded.property };
  const outcome = app.outcomes.get(app.property);
  return outcome ? ofOutcome(outcome, app.stories.get(app.property)) : null;
}

export function ofOutcome(outcome, story) {
  const found = outcome.result.counterexample;
  return outcome.run ? { run: outcome.run, sources: outcome.run.sources, ledger: found.fairness, story, outcome, property: outcome.result.property } : null;
}

export function chooseProperty(name) {
  app.property = name;
  app.row = 0;
  app.loaded = null;
  if (app.tab === "fairness") {
    app.cell = null;
    app.cellOutcome = null;
  }
  showAll();
  lookAtProperty();
}

export function chooseTab(tab, focus) {
  app.tab = tab;
  app.row = 0;
  showTabs();
  showPanel();
  if (focus) tabList.querySelector('[aria-selected="true"]').focus();
  if (tab === "simulate" && !app.walk) startWalk();
  if (tab === "graph" && !app.graph) drawGraph();
  lookAtProperty();
}

export function chooseRow(row, focus) {
  app.row = row;
  moveRow(panel, row, focus);
  showState();
  showPlaces(false);
}

export function showPlaces(scroll) {
  const current = currentRun();
  editor.setPlaces(app.row > 0 ? current?.sources?.[app.row - 1] ?? [] : [], scroll);
}

/** Marks the steps of the line at the cursor. */
export function atCursor(position) {
  const current = currentRun();
  if (!current?.sources) return;
  const line = editor.lineAt(position);
  const rows = new Set();
  current.sources.forEach((places, k) => {
    if (places.some(([from]) => from >= line.from && from <= line.to)) rows.add(k + 1);
  });
  app.here = rows;
  for (const row of panel.querySelectorAll("tr[data-row]")) row.classList.toggle("here", rows.has(Number(row.dataset.row)));
}
