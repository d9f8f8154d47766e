// The page: an editor, the verdicts, and what can be seen of each. It decides nothing itself; it asks the session.
import { TABS, app, data, transport } from "./state.js";
import { cancelButton, editor, editorBox, fileSelect, panel, say, settingsInput, tabList } from "./frame.js";
import { cancel, checkNow } from "./asking.js";
import { chooseTab } from "./chosen.js";
import { showTabs } from "./panel.js";
import { undo } from "./panel-walk.js";
import { openShared } from "./link.js";
import { openFile, save } from "./files.js";
import { fill, h } from "./dom.js";

tabList.addEventListener("keydown", (event) => {
  const move = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
  if (!move) return;
  event.preventDefault();
  const at = TABS.findIndex(([id]) => id === app.tab);
  chooseTab(TABS[(at + move + TABS.length) % TABS.length][0], true);
});

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
