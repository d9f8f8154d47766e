// Files: opened, saved, and taken over when they change on disk.
import { app, data, transport } from "./state.js";
import { editor, fileSelect, message, saveButton, say, settingsInput } from "./frame.js";
import { changed, checkNow, ending, stopTimers } from "./asking.js";
import { button } from "./dom.js";

export function markSaved() {
  const dirty = !data && app.path !== null && editor.text() !== app.saved;
  saveButton.classList.toggle("dirty", dirty);
  saveButton.textContent = dirty ? "Save •" : "Save";
  document.title = `${dirty ? "• " : ""}${app.path ?? "Fairly"}`;
}

const ENDED = "The command has ended; start fairly explore again.";

export async function openFile(path) {
  try {
    const { text, stamp } = await transport.read(path);
    Object.assign(app, { path, stamp, saved: text, property: null, loaded: null, walk: null, walked: null, graph: null,
      graphOn: new Set(), outcomes: new Map(), notes: [], row: 0 });
    fileSelect.value = path;
    editor.setLanguage(ending());
    if (data) {
      app.settings = data.settings?.[path] ?? [];
      settingsInput.value = app.settings.map((it) => it.join("=")).join(", ");
    }
    if (editor.text() === text) changed(0);
    else editor.setText(text);
    stopTimers();
    watched = null;
    await checkNow();
    markSaved();
  } catch (error) {
    say(`${path} cannot be opened: ${error.message}`);
  }
}

/** What is watched on disk: the model and the files that it names. */
let watched = null;

export function watchFiles(named) {
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

export async function save() {
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
