// Asking the session: a request about the text and the settings as they are now. If either has changed since, the answer is
// dropped.
import { app, data, transport } from "./state.js";
import { editor, settingsInput } from "./frame.js";
import { currentRun, firstOfInterest } from "./chosen.js";
import { showProperties, showStatus, showVerdicts } from "./verdicts.js";
import { showAll, showPanel, showState } from "./panel.js";
import { markSaved, watchFiles } from "./files.js";
import { plainRun } from "./values.js";

/** A text longer than this is checked when it is saved, not while it is written. */
const LARGE = 500_000;

/** The name of the model, and the ending of its file, which says what language it is in. */
export const modelName = () => fileName().replace(/\.[^.]*$/, "");
export const ending = () => /\.([^.]*)$/.exec(fileName())?.[1] ?? "fair";
const fileName = () => (app.path ?? app.linked ?? "model.fair").split("/").at(-1);

export const request = (kind, more) => ({ kind, name: modelName(), language: ending(), text: editor.text(), settings: app.settings,
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

export async function ask(kind, more, event, label) {
  const text = editor.text();
  const settings = app.settings;
  const isCurrent = () => text === editor.text() && settings === app.settings;
  const key = label ?? kind;
  app.busy.set(key, (app.busy.get(key) ?? 0) + 1);
  showStatus();
  const last = await transport.ask(request(kind, more), (it) => {
    if (!isCurrent()) return;
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
  return isCurrent() ? last : null;
}

export function readSettings() {
  app.settings = settingsInput.value.split(/[,\s]+/).map((it) => it.split("=")).filter((it) => it.length === 2 && it[0] && it[1]);
}

let timers = [];
export function stopTimers() {
  for (const timer of timers) clearTimeout(timer);
  app.pending = false;
}

export function changed(wait) {
  stopTimers();
  transport.cancel(["check", "explain", "cell", "advise", "graph"]);
  const large = editor.text().length > LARGE;
  timers = [setTimeout(open, wait ?? (large ? 400 : 60))];
  if (!large) {
    timers.push(setTimeout(() => check(), wait ?? 250));
    app.pending = true;
  }
  showStatus();
  markSaved();
}

function open() {
  return ask("open", {}, (it) => {
    if (it.event !== "opened") return;
    app.opened = it;
    editor.setDiagnostics(it.diagnostics);
    watchFiles(it.files);
    if (it.diagnostics.some((one) => one.severity === "error")) app.obstacle = "errors";
    else if (app.obstacle === "errors") app.obstacle = null;
    showProperties();
    showStatus();
  });
}

export async function checkNow() {
  await open();
  await check();
}

async function check() {
  app.pending = false;
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
    app.adviceMessage = "";
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
export function lookAtProperty() {
  const name = app.property;
  if (name && app.outcomes.has(name) && !app.stories.has(name) && app.outcomes.get(name).result.verdict !== "unknown") {
    ask("check", { properties: [name], explain: true }, (it) => {
      if (it.event === "outcome") {
        app.stories.set(it.result.property, it.story);
        showPanel();
      }
    }, "explain");
  }
  if (app.tab === "fairness" && app.outcomes.size && app.advice.size < app.outcomes.size && !app.adviceMessage && !app.busy.has("advise")) {
    ask("advise", {}, (it) => {
      if (it.event === "advice") {
        app.advice.set(it.property, it);
        showPanel();
      } else if (it.event === "failed") {
        app.adviceMessage = it.message;
        showPanel();
      }
    });
  }
  askTruth();
}

export function askTruth() {
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

export function cancel() {
  transport.cancel(["check", "explain", "cell", "advise", "graph", "load"]);
}
