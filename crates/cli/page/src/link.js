// The link that holds the model and what is looked at.
import { TABS, app } from "./state.js";
import { editor, fileSelect, say, settingsInput } from "./frame.js";
import { checkNow, ending, lookAtProperty, modelName, stopTimers } from "./asking.js";
import { currentRun } from "./chosen.js";
import { showAll, showTabs } from "./panel.js";
import { startWalk, walkOn } from "./panel-walk.js";
import { pack, unpack } from "./share.js";

export async function share() {
  const current = currentRun();
  const packed = await pack({ name: `${modelName()}.${ending()}`, text: editor.text(), settings: app.settings, property: app.property, tab: app.tab, row: app.row,
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

export async function openShared() {
  const packed = /^#m=(.+)$/.exec(location.hash)?.[1];
  if (!packed) return false;
  const shared = await unpack(packed);
  if (!shared) {
    say("The link is damaged.");
    return false;
  }
  app.path = null;
  app.linked = typeof shared.name === "string" && shared.name.includes(".") ? shared.name : null;
  editor.setLanguage(ending());
  fileSelect.value = "";
  app.settings = Array.isArray(shared.settings) ? shared.settings : [];
  settingsInput.value = app.settings.map((it) => it.join("=")).join(", ");
  editor.setText(shared.text);
  app.saved = shared.text;
  app.property = shared.property ?? null;
  stopTimers();
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
