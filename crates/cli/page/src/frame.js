// The frame: what is always on the page, and the editor in it.
import { data, transport } from "./state.js";
import { ask, cancel, changed, checkNow, readSettings } from "./asking.js";
import { atCursor, chooseProperty } from "./chosen.js";
import { share } from "./link.js";
import { openFile, save } from "./files.js";
import { button, fill, h } from "./dom.js";
import { editor as makeEditor } from "./editor.js";

export const status = h("p", { id: "status", role: "status", "aria-live": "polite" });
export const message = h("p", { id: "message", role: "alert" });
export const fileSelect = h("select", { id: "file", "aria-label": "Model", onchange: () => { say(); openFile(fileSelect.value); } });
export const settingsInput = h("input", { id: "settings", type: "text", placeholder: "set N=3", "aria-label": "Values for parameters, such as N=3",
  title: "Values for constants and parameters: N=3, K=2", onchange: () => { readSettings(); changed(0); } });
export const saveButton = button("Save", () => save(), { id: "save", title: "Ctrl-S" });
const checkButton = button("Check", () => checkNow(), { id: "check", title: "Ctrl-Enter", class: "primary" });
export const cancelButton = button("Cancel", () => cancel(), { id: "cancel", title: "Escape", hidden: true });
const shareButton = button("Copy link", () => share(), { id: "share", title: "A link with the model and the run in it; nothing leaves this machine" });
export const bar = h("progress", { id: "progress", hidden: true, "aria-label": "Working" });
export const editorBox = h("div", { id: "editor" });
export const propertyBox = h("div", { id: "properties" });
export const tabList = h("div", { role: "tablist", "aria-label": "What to look at" });
export const panel = h("div", { id: "panel", role: "tabpanel", tabindex: "-1" });
export const answers = h("section", { id: "answers", "aria-label": "The answers", tabindex: "-1" },
  h("div", { class: "line" }, status, bar), message, propertyBox, tabList, panel);

fill(document.getElementById("app"),
  h("header", { role: "banner" },
    h("h1", {}, h("span", { class: "mark", "aria-hidden": "true" }), "Fairly"),
    fileSelect, settingsInput,
    h("div", { class: "buttons" }, checkButton, cancelButton, data ? null : saveButton, shareButton)),
  h("main", {},
    h("section", { id: "model", "aria-label": "The model" }, editorBox),
    answers),
  h("footer", {}, data
    ? ["This is the playground: all work is done in this page, and nothing leaves it. It has ", transport.engines,
      "; the command has more."]
    : "Served by fairly explore on this machine; nothing leaves it."));

export const editor = makeEditor(editorBox, {
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

/** Says something beside the status; it stays until the text changes or something else is said. */
export function say(...words) {
  fill(message, ...words);
}
