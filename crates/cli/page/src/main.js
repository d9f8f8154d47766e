// The page: an editor, the verdicts, and what can be seen of each. It decides nothing itself; it asks the session.
import { editor as makeEditor } from "./editor.js";
import { serverTransport } from "./transport.js";
import { browserTransport } from "./playground.js";
import { h, fill, button, formula, indexed, number, prose } from "./dom.js";
import { runTable, moveRow, ledger, stateCard, account } from "./run.js";
import { ladderTable, needs } from "./ladder.js";
import { graphPicture } from "./graph.js";
import { bindings, plainRun } from "./values.js";
import { compareRuns, compareVersions } from "./compare.js";
import { pack, unpack, download } from "./share.js";

/** A text longer than this is checked when it is saved, not while it is written. */
const LARGE = 500_000;
const TABS = [["run", "Run"], ["fairness", "Fairness"], ["simulate", "Simulate"], ["graph", "Graph"], ["compare", "Compare"]];

const data = window.FAIRLY_PLAYGROUND;
const transport = data ? browserTransport(data) : serverTransport(new URLSearchParams(location.search).get("token") ?? "");

/** All that can change. */
const app = {
  path: null, stamp: "", saved: "", settings: [], models: [],
  opened: null, outcomes: new Map(), notes: [], advice: new Map(), stories: new Map(), obstacle: null,
  property: null, tab: "run", row: 0, all: false, watches: [], truth: null, here: new Set(),
  cell: null, cellOutcome: null, busy: new Map(), progress: null,
  walk: null, walked: null, loaded: null, graph: null, graphOn: new Set(), graphMessage: "",
  pinnedRun: null, pinnedVersion: null,
};

// ---- the frame ----

const status = h("p", { id: "status", role: "status", "aria-live": "polite" });
const message = h("p", { id: "message", role: "alert" });
const fileSelect = h("select", { id: "file", "aria-label": "Model", onchange: () => { say(); openFile(fileSelect.value); } });
const settingsInput = h("input", { id: "settings", type: "text", placeholder: "set N=3", "aria-label": "Values for parameters, such as N=3",
  title: "Values for constants and parameters: N=3, K=2", onchange: () => { readSettings(); changed(0); } });
const saveButton = button("Save", () => save(), { id: "save", title: "Ctrl-S" });
const checkButton = button("Check", () => checkNow(), { id: "check", title: "Ctrl-Enter", class: "primary" });
const cancelButton = button("Cancel", () => cancel(), { id: "cancel", title: "Escape", hidden: true });
const shareButton = button("Copy link", () => share(), { id: "share", title: "A link with the model and the run in it; nothing leaves this machine" });
const bar = h("progress", { id: "progress", hidden: true, "aria-label": "Working" });
const editorBox = h("div", { id: "editor" });
const propertyBox = h("div", { id: "properties" });
const tabList = h("div", { role: "tablist", "aria-label": "What to look at" });
const panel = h("div", { id: "panel", role: "tabpanel", tabindex: "-1" });

fill(document.getElementById("app"),
  h("header", { role: "banner" },
    h("h1", {}, h("span", { class: "mark", "aria-hidden": "true" }), "Fairly"),
    fileSelect, settingsInput,
    h("div", { class: "buttons" }, checkButton, cancelButton, data ? null : saveButton, shareButton)),
  h("main", {},
    h("section", { id: "model", "aria-label": "The model" }, editorBox),
    h("section", { id: "answers", "aria-label": "The answers", tabindex: "-1" },
      h("div", { class: "line" }, status, bar), message, propertyBox, tabList, panel)),
  h("footer", {}, data
    ? ["This is the playground: all work is done in this page, and nothing leaves it. It has ", transport.engines,
      "; the command has more."]
    : "Served by fairly explore on this machine; nothing leaves it."));

const editor = makeEditor(editorBox, {
  change: () => changed(),
  save: () => save(),
  check: () => checkNow(),
  cursor: (position) => atCursor(position),
  choose: (property) => chooseProperty(property),
  complete: async (at) => {
    let found = null;
    await ask("complete", { at }, (it) => { if (it.event === "completed") found = it; });
    return found;
  },
});

// ---- asking ----

const modelName = () => (app.path ?? "model").split("/").at(-1).replace(/\.fair$/, "");
const request = (kind, more) => ({ kind, name: modelName(), text: editor.text(), settings: app.settings,
  files: data ? filesOf(editor.text()) : {}, ...more });

/** In the playground: the files beside the example that a text names, or that those name. */
function filesOf(text, found = {}) {
  const folder = (app.path ?? "").replace(/[^/]*$/, "");
  for (const [, name] of text.matchAll(/"([^"\n]+)"/g)) {
    const file = data.files[folder + name] ?? data.examples[folder + name];
    if (file !== undefined && !(name in found)) {
      found[name] = file;
      filesOf(file, found);
    }
  }
  return found;
}

async function ask(kind, more, event, label) {
  const text = editor.text();
  const key = label ?? kind;
  app.busy.set(key, (app.busy.get(key) ?? 0) + 1);
  showStatus();
  const last = await transport.ask(request(kind, more), (it) => {
    // An answer about another text is out of date.
    if (text !== editor.text()) return;
    if (it.event === "progress") {
      app.progress = it;
      showStatus();
    } else event(it);
  });
  const left = (app.busy.get(key) ?? 1) - 1;
  if (left > 0) app.busy.set(key, left);
  else app.busy.delete(key);
  if (app.busy.size === 0) app.progress = null;
  showStatus();
  return text === editor.text() ? last : null;
}

function readSettings() {
  app.settings = settingsInput.value.split(/[,\s]+/).map((it) => it.split("=")).filter((it) => it.length === 2 && it[0] && it[1]);
}

let timers = [];
function changed(wait) {
  for (const timer of timers) clearTimeout(timer);
  transport.cancel(["check", "explain", "cell", "advise", "graph"]);
  const large = editor.text().length > LARGE;
  timers = [setTimeout(open, wait ?? (large ? 400 : 60))];
  if (!large) timers.push(setTimeout(() => check(), wait ?? 250));
  markSaved();
}

function open() {
  return ask("open", {}, (it) => {
    if (it.event !== "opened") return;
    app.opened = it;
    editor.setDiagnostics(it.diagnostics);
    watchFiles(it.files);
    if (it.diagnostics.some((one) => one.severity === "error")) {
      app.obstacle = "errors";
      showProperties();
    } else if (app.obstacle === "errors") {
      app.obstacle = null;
    }
    showStatus();
  });
}

async function checkNow() {
  await open();
  await check();
}

async function check() {
  const fresh = new Map();
  const answers = { notes: [] };
  app.obstacle = null;
  const last = await ask("check", {}, (it) => {
    if (it.event === "outcome") {
      fresh.set(it.result.property, it);
      app.outcomes.set(it.result.property, it);
      showVerdicts();
      showProperties();
    } else if (it.event === "notes") answers.notes = it.notes;
    else if (it.event === "failed") app.obstacle = it.message;
  });
  if (!last) return;
  if (last.event === "done") {
    app.outcomes = fresh;
    app.notes = answers.notes;
    app.stories.clear();
    app.advice.clear();
    app.graph = null;
    app.cellOutcome = null;
    app.cell = null;
    if (!fresh.has(app.property)) app.property = firstOfInterest();
    app.row = Math.min(app.row, currentRun()?.run.steps.length ?? 0);
  }
  showVerdicts();
  showAll();
  lookAtProperty();
}

/** What takes more time than a check is asked for the chosen property, or where it is looked at. */
function lookAtProperty() {
  const name = app.property;
  if (name && app.outcomes.has(name) && !app.stories.has(name) && app.outcomes.get(name).result.verdict !== "unknown") {
    ask("check", { properties: [name], explain: true }, (it) => {
      if (it.event === "outcome") {
        app.stories.set(it.result.property, it.story);
        showPanel();
      }
    }, "explain");
  }
  if (app.tab === "fairness" && app.outcomes.size && app.advice.size < app.outcomes.size && !app.busy.has("advise")) {
    ask("advise", {}, (it) => {
      if (it.event === "advice") {
        app.advice.set(it.property, it);
        showPanel();
      }
    });
  }
  askTruth();
}

function askTruth() {
  const current = currentRun();
  app.truth = null;
  if (!current) return;
  ask("truth", { run: plainRun(current.run), watches: app.watches }, (it) => {
    if (it.event === "truth") {
      app.truth = it;
      showState();
    }
  });
}

function cancel() {
  transport.cancel(["check", "explain", "cell", "advise", "graph", "load"]);
}

// ---- what is chosen ----

function firstOfInterest() {
  const all = [...app.outcomes.values()];
  const found = all.find((it) => it.as_expected === false) ?? all.find((it) => it.result.verdict === "fails") ?? all[0];
  return found?.result.property ?? null;
}

/** The run that is looked at: of the chosen cell, of the walk, of a file, or of the chosen property. */
function currentRun() {
  if (app.tab === "simulate") return app.walked ? { run: app.walked.run, sources: app.walked.run.sources } : null;
  if (app.tab === "fairness" && app.cellOutcome) return ofOutcome(app.cellOutcome, app.cellOutcome.story);
  if (app.loaded && app.tab === "run") return { run: app.loaded.run, sources: app.loaded.run.sources, ledger: app.loaded.fairness, property: app.loaded.property };
  const outcome = app.outcomes.get(app.property);
  return outcome ? ofOutcome(outcome, app.stories.get(app.property)) : null;
}

function ofOutcome(outcome, story) {
  const found = outcome.result.counterexample;
  return outcome.run ? { run: outcome.run, sources: outcome.run.sources, ledger: found.fairness, story, outcome, property: outcome.result.property } : null;
}

function chooseProperty(name) {
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

function chooseTab(tab, focus) {
  app.tab = tab;
  app.row = 0;
  showTabs();
  showPanel();
  if (focus) tabList.querySelector('[aria-selected="true"]').focus();
  if (tab === "simulate" && !app.walk) startWalk();
  if (tab === "graph" && !app.graph) drawGraph();
  lookAtProperty();
}

function chooseRow(row, focus) {
  app.row = row;
  moveRow(panel, row, focus);
  showState();
  showPlaces(false);
}

function showPlaces(scroll) {
  const current = currentRun();
  editor.setPlaces(app.row > 0 ? current?.sources?.[app.row - 1] ?? [] : [], scroll);
}

/** Marks the steps of the line at the cursor. */
function atCursor(position) {
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

// ---- verdicts ----

function tone(outcome) {
  if (outcome.result.verdict === "unknown") return "unsure";
  if (outcome.as_expected === false) return outcome.result.verdict === "fails" ? "bad" : "unsure";
  return outcome.result.verdict === "fails" ? "plain" : "good";
}

const sign = (outcome) => ({ holds: "✓", fails: "✗", unknown: "?" })[outcome.result.verdict];

function words(outcome) {
  const { expected } = outcome.result;
  const as = outcome.as_expected === true && expected ? ", as expected" : outcome.as_expected === false && expected ? `, not as expected` : "";
  return outcome.words + as;
}

function foundBy({ result }) {
  const parts = [result.engine, result.verdict === "unknown" ? null : result.certified, result.scope === "this instance" ? null : result.scope,
    result.stats.states === undefined ? null : `${number(result.stats.states)} states`, `${result.seconds.toFixed(2)} s`];
  return result.engine ? parts.filter(Boolean).join(" · ") : "";
}

function showVerdicts() {
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

// ---- showing ----

function showStatus() {
  const errors = app.opened?.diagnostics.filter((it) => it.severity === "error").length ?? 0;
  const long = ["check", "explain", "cell", "advise", "graph", "load"].some((it) => app.busy.has(it));
  cancelButton.hidden = !long;
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

function showProperties() {
  const rows = [...app.outcomes.values()].map((it) => {
    const name = it.result.property;
    const chosen = name === app.property;
    return h("li", {}, button([h("b", { class: `sign ${tone(it)}`, "aria-hidden": "true" }, sign(it)), h("span", { class: "name" }, indexed(name)),
      h("span", { class: `verdict ${tone(it)}` }, words(it)), h("span", { class: "by" }, foundBy(it))], () => chooseProperty(name),
    { class: chosen ? "property chosen" : "property", "aria-pressed": String(chosen), "data-property": name, "data-verdict": it.result.verdict }));
  });
  const stale = app.obstacle === "errors";
  propertyBox.className = stale ? "stale" : "";
  fill(propertyBox, rows.length ? h("ul", { class: "list", "aria-label": "Properties" }, rows) : null,
    app.notes.map((note) => h("p", { class: "note" }, h("b", {}, "Note "), prose(note))));
}

function showTabs() {
  fill(tabList, TABS.map(([id, name]) => button(name, () => chooseTab(id), {
    role: "tab", id: `tab-${id}`, "aria-selected": String(app.tab === id), "aria-controls": "panel", tabindex: app.tab === id ? "0" : "-1" })));
  panel.setAttribute("aria-labelledby", `tab-${app.tab}`);
}
tabList.addEventListener("keydown", (event) => {
  const move = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
  if (!move) return;
  event.preventDefault();
  const at = TABS.findIndex(([id]) => id === app.tab);
  chooseTab(TABS[(at + move + TABS.length) % TABS.length][0], true);
});

const runBox = h("div", {});
const stateBox = h("div", { class: "state-box" });

function showRunBox(current) {
  fill(runBox, runTable({ run: current.run, row: app.row, all: app.all || app.tab === "simulate", story: current.story, here: app.here, choose: chooseRow,
    setAll: (all) => { app.all = all; showRunBox(current); } }));
}

function showState() {
  const current = currentRun();
  if (!current || !stateBox.isConnected) return;
  const typed = stateBox.querySelector(".watch-input");
  const [kept, focused] = [typed?.value ?? "", document.activeElement === typed && typed];
  fill(stateBox, stateCard({ run: current.run, row: app.row, story: current.story, truth: app.truth, property: current.property,
    watch: (text) => { app.watches.push(text); stateBox.querySelector(".watch-input").value = ""; askTruth(); },
    unwatch: (k) => { app.watches.splice(k, 1); askTruth(); },
    fork: () => fork(current.run, app.row),
    show: current.sources?.[app.row - 1]?.length ? () => { showPlaces(true); editor.goTo(current.sources[app.row - 1][0][0]); } : null }));
  const input = stateBox.querySelector(".watch-input");
  input.value = kept;
  if (focused) input.focus();
}

const ENDINGS = {
  path: "Here it is false; fairness has no part in it.", fault: "Here a fault ends the run; fairness has no part in it.",
  state: "In this initial state the formula is false.", beginning: "From here the run can go on like this for ever, fairly.",
};

function showPanel() {
  if (app.tab === "run") showRun();
  else if (app.tab === "fairness") showFairness();
  else if (app.tab === "simulate") showWalk();
  else if (app.tab === "graph") showGraph();
  else showCompare();
}

function heading(outcome) {
  return [h("h2", {}, h("span", {}, indexed(outcome.result.property)), h("span", { class: `verdict ${tone(outcome)}` }, `${sign(outcome)} ${words(outcome)}`)),
    h("p", { class: "claim" }, formula(outcome.claim)),
    h("p", { class: "under" }, outcome.result.fairness && outcome.result.counterexample?.kind !== "path"
      ? ["under ", h("code", {}, outcome.result.fairness), " · "] : null, foundBy(outcome))];
}

function showRun() {
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
    app.loaded ? null : account(app.stories.get(app.property), assume),
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

function showFairness() {
  const chosen = app.cellOutcome;
  fill(panel, app.outcomes.size === 0 ? h("p", { class: "empty" }, "There are no properties.") : [
    h("p", { class: "legend" }, "Under which fairness of every process or action does each property hold? Choose a cell to see the run, or the reason."),
    ladderTable({ advice: app.advice, names: [...app.outcomes.keys()], cell: app.cell, choose: chooseCell }),
    app.cell && !chosen ? h("p", { class: "legend" }, "Looking…") : null,
    chosen ? h("div", { class: "cell-answer" }, heading(chosen), ofOutcome(chosen) ? [h("div", { class: "run-and-state" }, runBox, stateBox), ledger(chosen.result.counterexample.fairness, chooseRow)] : null,
      account(chosen.story, assume)) : null,
    needs(app.advice.get(app.cell?.[0] ?? app.property), assume)]);
  const current = chosen && ofOutcome(chosen, chosen.story);
  if (current) {
    showRunBox(current);
    showState();
  }
}

function chooseCell(property, rung) {
  app.cell = [property, rung];
  app.cellOutcome = null;
  app.property = property;
  app.row = 0;
  showProperties();
  showPanel();
  ask("check", { properties: [property], fairness: rung, explain: true }, (it) => {
    if (it.event === "outcome" && app.cell?.[0] === property && app.cell?.[1] === rung) {
      app.cellOutcome = it;
      showPanel();
      askTruth();
    }
  }, "cell");
}

/** Writes requirements into the `under` clause of the chosen property. */
function assume(requirements) {
  const family = app.property.replace(/\[.*$/, "");
  ask("assume", { property: family, requirements }, (it) => {
    if (it.event === "edit") {
      editor.replace(it.span[0], it.span[1], it.text);
      checkNow();
    } else if (it.event === "failed") say(it.message);
  });
}

/** Says something beside the status; it stays until the text changes or something else is said. */
function say(...words) {
  fill(message, ...words);
}

// ---- walks ----

function startWalk(more = {}) {
  app.walk = { along: null, steps: 0, choices: [], random: 0, seed: app.walk?.seed ?? 1, number: null, ...more };
  walkOn();
}

function fork(run, row) {
  app.tab = "simulate";
  showTabs();
  startWalk({ along: plainRun(run), steps: row });
}

async function walkOn() {
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

function showWalk() {
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

function undo() {
  if (app.walk.choices.length) app.walk.choices = app.walk.choices.slice(0, -1);
  else if (app.walk.steps > 0) app.walk.steps -= 1;
  walkOn();
}

// ---- graph ----

async function drawGraph() {
  app.graphMessage = "";
  const outcome = app.outcomes.get(app.property);
  await ask("graph", { property: outcome ? app.property : null, on: [...app.graphOn], limit: 300 }, (it) => {
    if (it.event === "graph") app.graph = it;
    else if (it.event === "failed") {
      app.graph = null;
      app.graphMessage = it.message;
    }
  });
  if (app.tab === "graph") showPanel();
}

function graphNames() {
  const outline = app.opened?.outline ?? [];
  const shared = outline.filter((it) => it.kind === "variable" || it.kind === "channel").map((it) => it.name);
  const own = outline.filter((it) => it.kind === "process").flatMap((it) => [
    ...(it.children.some((child) => child.kind === "label") ? [`${it.name}@`] : []),
    ...it.children.filter((child) => child.kind === "variable").map((child) => `${it.name}.${child.name}`)]);
  return [...shared, ...own];
}

function showGraph() {
  const detail = h("p", { class: "legend", "aria-live": "polite" });
  fill(panel,
    h("fieldset", { class: "projection" }, h("legend", {}, "Project to"), graphNames().map((name) => h("label", {},
      h("input", { type: "checkbox", "data-name": name, ...(app.graphOn.has(name) ? { checked: true } : {}),
        onchange: (event) => { if (event.target.checked) app.graphOn.add(name); else app.graphOn.delete(name); drawGraph(); } }), ` ${name.replace(/@$/, " (location)")}`))),
    app.graphMessage ? h("p", { class: "note" }, h("b", {}, "Note "), app.graphMessage, app.graphOn.size ? "" : ". Choose some variables to project to.") : null,
    app.graph ? [h("p", { class: "legend" }, `${number(app.graph.states.length)} ${app.graphOn.size ? "nodes" : "states"}, ${number(app.graph.steps.length)} steps`,
      app.graph.refuted ? [". The run against ", h("code", {}, app.property), " is marked: ", h("span", { class: "key stem" }, "stem"), ", ", h("span", { class: "key cycle" }, "loop"), "."] : "."),
    graphPicture(app.graph, (node, state) => fill(detail, `State ${node}: `, bindings(state))), detail]
      : app.graphMessage ? null : h("p", { class: "empty" }, app.busy.has("graph") ? "Drawing…" : "There is no graph yet."));
}

// ---- comparing, keeping ----

function pinRun(current) {
  app.pinnedRun = { run: current.run, name: current.property ?? "the walk" };
  app.pinnedVersion ??= new Map(app.outcomes);
  chooseTab("compare");
}

function showCompare() {
  const runs = [...app.outcomes.values()].filter((it) => it.run).map((it) => [it.result.property, it.run]);
  if (app.walked) runs.push(["the walk", app.walked.run]);
  const chosen = runs.find(([name]) => name === app.property) ?? runs[0];
  const select = h("select", { "aria-label": "Run to compare with", id: "compare-with", onchange: () => show(runs[select.selectedIndex]) },
    runs.map(([name]) => h("option", name === chosen?.[0] ? { selected: true } : {}, name)));
  const box = h("div", { id: "compared" });
  const show = (other) => fill(box, compareRuns(app.pinnedRun.run, other[1], [`${app.pinnedRun.name} (pinned)`, other[0]]));
  fill(panel, h("section", { "aria-label": "Two runs" }, h("h3", {}, "Two runs"),
    app.pinnedRun && chosen ? [h("p", {}, "The pinned run of ", h("code", {}, app.pinnedRun.name), " and that of ", select), box]
      : h("p", { class: "empty" }, "Pin a run to compare another with it.")),
  h("section", { "aria-label": "Two versions" }, h("h3", {}, "Two versions"),
    h("p", { class: "row-actions" }, button("Pin these answers", () => { app.pinnedVersion = new Map(app.outcomes); showPanel(); }, { id: "pin-version" })),
    app.pinnedVersion ? compareVersions(app.pinnedVersion, app.outcomes) : h("p", { class: "empty" }, "Pin the answers, edit the model, and see which verdicts change.")));
  if (app.pinnedRun && chosen) show(chosen);
}

async function saveItf(current) {
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

async function share() {
  const current = currentRun();
  const packed = await pack({ name: modelName(), text: editor.text(), settings: app.settings, property: app.property, tab: app.tab, row: app.row,
    walk: app.tab === "simulate" ? app.walk : undefined,
    run: app.loaded ? { initial: current.run.initial, steps: current.run.steps, loop: current.run.loop } : undefined });
  const link = new URL(location.href);
  link.hash = `m=${packed}`;
  history.replaceState(null, "", link);
  try {
    await navigator.clipboard.writeText(link.href);
    say("The link is copied.");
  } catch {
    say("The link is in the address bar.");
  }
}

async function openShared() {
  const packed = /^#m=(.+)$/.exec(location.hash)?.[1];
  if (!packed) return false;
  const shared = await unpack(packed);
  if (!shared) {
    say("The link is damaged.");
    return false;
  }
  app.path = null;
  fileSelect.value = "";
  app.settings = Array.isArray(shared.settings) ? shared.settings : [];
  settingsInput.value = app.settings.map((it) => it.join("=")).join(", ");
  editor.setText(shared.text);
  app.saved = shared.text;
  app.property = shared.property ?? null;
  for (const timer of timers) clearTimeout(timer);
  await checkNow();
  if (TABS.some(([id]) => id === shared.tab)) app.tab = shared.tab;
  showTabs();
  if (shared.walk) {
    app.walk = shared.walk;
    await walkOn();
  } else if (shared.tab === "simulate") startWalk();
  if (shared.run) app.loaded = { run: { ...shared.run, sources: [] }, name: "Run of the link", property: null, fairness: [] };
  app.row = shared.row ?? 0;
  showAll();
  lookAtProperty();
  return true;
}

// ---- files ----

function markSaved() {
  const dirty = !data && app.path !== null && editor.text() !== app.saved;
  saveButton.classList.toggle("dirty", dirty);
  saveButton.textContent = dirty ? "Save •" : "Save";
  document.title = `${dirty ? "• " : ""}${app.path ?? "Fairly"}`;
}

const ENDED = "The command has ended; start fairly explore again.";

async function openFile(path) {
  try {
    const { text, stamp } = await transport.read(path);
    app.path = path;
    app.stamp = stamp;
    app.saved = text;
    app.property = null;
    app.loaded = null;
    app.walk = null;
    app.walked = null;
    app.graph = null;
    app.graphOn = new Set();
    app.outcomes = new Map();
    app.notes = [];
    app.row = 0;
    fileSelect.value = path;
    if (data) {
      app.settings = data.settings?.[path] ?? [];
      settingsInput.value = app.settings.map((it) => it.join("=")).join(", ");
    }
    if (editor.text() === text) changed(0);
    else editor.setText(text);
    for (const timer of timers) clearTimeout(timer);
    watched = null;
    await checkNow();
    markSaved();
  } catch (error) {
    say(`${path} cannot be opened: ${error.message}`);
  }
}

/** What is watched on disk: the model and the files that it names. */
let watched = null;
function watchFiles(named) {
  const all = [app.path, ...named].join("\n");
  if (app.path === null || watched === all) return;
  watched = all;
  transport.watch(app.path, named, onDisk, (lost) => { if (lost) say(ENDED); else if (message.textContent === ENDED) say(); });
}

async function onDisk({ exists, stamp }) {
  if (!exists) {
    app.stamp = "";
    app.saved = null;
    markSaved();
    return say("The file is gone from the disk; Save writes it again.");
  }
  if (stamp === app.stamp) return checkNow();
  try {
    const fresh = await transport.read(app.path);
    if (editor.text() === app.saved || app.saved === null && editor.text() === fresh.text) {
      app.stamp = fresh.stamp;
      app.saved = fresh.text;
      say();
      if (fresh.text !== editor.text()) editor.setText(fresh.text);
      else await checkNow();
      markSaved();
    } else conflict(fresh);
  } catch (error) {
    say(error.message);
  }
}

/** The file and the text have both changed: the user decides. */
function conflict(fresh) {
  if (fresh.text === editor.text()) {
    app.stamp = fresh.stamp;
    app.saved = fresh.text;
    return markSaved();
  }
  say("The file has changed on disk, too. ",
    button("Take the file", () => { say(); app.stamp = fresh.stamp; app.saved = fresh.text; editor.setText(fresh.text); }, { class: "link", id: "take-file" }), " ",
    button("Keep the text", () => { say(); app.stamp = fresh.stamp; }, { class: "link", id: "keep-text" }));
}

async function save() {
  if (data) return checkNow();
  if (app.path === null) return say("This model came with a link and has no file; copy its text into one.");
  const text = editor.text();
  try {
    const { stamp } = await transport.write(app.path, text, app.stamp);
    app.stamp = stamp;
    app.saved = text;
    say();
    markSaved();
    await checkNow();
  } catch (error) {
    if (error.status === 409) conflict(await transport.read(app.path));
    else say(error.message);
  }
}

function showAll() {
  showStatus();
  showProperties();
  showTabs();
  showPanel();
}

addEventListener("keydown", (event) => {
  if (event.key === "Escape" && !cancelButton.hidden) cancel();
  if ((event.ctrlKey || event.metaKey) && event.key === "s") {
    event.preventDefault();
    if (!editorBox.contains(document.activeElement)) save();
  }
  const typing = /^(INPUT|SELECT|TEXTAREA)$/.test(document.activeElement?.tagName) || editorBox.contains(document.activeElement);
  if (app.tab === "simulate" && !typing && !event.ctrlKey && !event.metaKey && !event.altKey) {
    if (event.key === "u") undo();
    else if (event.key === "r") panel.querySelector("#random")?.click();
    else if (/^[1-9]$/.test(event.key)) panel.querySelectorAll(".offer")[Number(event.key) - 1]?.click();
  }
});
addEventListener("hashchange", openShared);
addEventListener("beforeunload", (event) => {
  if (!data && app.path !== null && app.saved !== null && editor.text() !== app.saved) event.preventDefault();
});

async function begin() {
  showTabs();
  try {
    const found = await transport.files();
    app.models = found.models;
    app.settings = found.settings ?? [];
    settingsInput.value = app.settings.map((it) => it.join("=")).join(", ");
    const groups = new Map();
    for (const model of found.models) {
      const folder = model.includes("/") ? model.slice(0, model.lastIndexOf("/")) : "";
      groups.set(folder, [...(groups.get(folder) ?? []), model]);
    }
    fill(fileSelect, h("option", { value: "", hidden: true }, "no file"), [...groups].map(([folder, models]) => {
      const options = models.map((model) => h("option", { value: model }, model.split("/").at(-1)));
      return folder ? h("optgroup", { label: folder }, options) : options;
    }));
    if (await openShared()) return;
    if (found.first) await openFile(found.first);
    else {
      editor.setText(EXAMPLE);
      await checkNow();
    }
  } catch (error) {
    say(`The page cannot begin: ${error.message}`);
  }
}

const EXAMPLE = `// There is no model in this folder yet; this is one to play with.
shared free: bool = true;
process P[i: 1..2] {
    loop {
        rest:  stay;
        enter: request free;
        leave: release free;
    }
}
invariant mutex: !(P[1]@leave && P[2]@leave);
property enters: G (P[1]@enter -> F P[1]@leave) under weak P;
`;

begin();
