// The panel below the tabs: which one is shown, and the table and the state that several of them share.
import { TABS, app } from "./state.js";
import { editor, panel, tabList } from "./frame.js";
import { askTruth } from "./asking.js";
import { chooseRow, chooseTab, currentRun, showPlaces } from "./chosen.js";
import { showProperties, showStatus } from "./verdicts.js";
import { showRun } from "./panel-run.js";
import { showFairness } from "./panel-fairness.js";
import { fork, showWalk } from "./panel-walk.js";
import { showGraph } from "./panel-graph.js";
import { showCompare } from "./panel-compare.js";
import { button, fill, h } from "./dom.js";
import { runTable, stateCard } from "./run.js";

export function showTabs() {
  fill(tabList, TABS.map(([id, name]) => button(name, () => chooseTab(id), {
    role: "tab", id: `tab-${id}`, "aria-selected": String(app.tab === id), "aria-controls": "panel", tabindex: app.tab === id ? "0" : "-1" })));
  panel.setAttribute("aria-labelledby", `tab-${app.tab}`);
}

export const runBox = h("div", {});

export const stateBox = h("div", { class: "state-box" });

export function showRunBox(current) {
  fill(runBox, runTable({ run: current.run, row: app.row, all: app.all || app.tab === "simulate", story: current.story, here: app.here, choose: chooseRow,
    setAll: (all) => { app.all = all; showRunBox(current); } }));
}

export function showState() {
  const current = currentRun();
  if (!current || !stateBox.isConnected) return;
  const kept = stateBox.querySelector(".watch-input")?.value ?? "";
  fill(stateBox, stateCard({ run: current.run, row: app.row, story: current.story, truth: app.truth, property: current.property,
    watch: (text) => { app.watches.push(text); stateBox.querySelector(".watch-input").value = ""; askTruth(); },
    unwatch: (k) => { app.watches.splice(k, 1); askTruth(); },
    fork: () => fork(current.run, app.row),
    show: current.sources?.[app.row - 1]?.length ? () => { showPlaces(true); editor.goTo(current.sources[app.row - 1][0][0]); } : null }));
  stateBox.querySelector(".watch-input").value = kept;
}

export function showPanel() {
  if (app.tab === "run") showRun();
  else if (app.tab === "fairness") showFairness();
  else if (app.tab === "simulate") showWalk();
  else if (app.tab === "graph") showGraph();
  else showCompare();
}

export function showAll() {
  showStatus();
  showProperties();
  showTabs();
  showPanel();
}
