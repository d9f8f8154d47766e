// Two runs beside each other, and two versions of the answers.
import { app } from "./state.js";
import { panel } from "./frame.js";
import { chooseTab } from "./chosen.js";
import { showPanel } from "./panel.js";
import { button, fill, h } from "./dom.js";
import { compareRuns, compareVersions } from "./compare.js";

export function pinRun(current) {
  app.pinnedRun = { run: current.run, name: current.property ?? "the walk" };
  app.pinnedVersion ??= new Map(app.outcomes);
  chooseTab("compare");
}

export function showCompare() {
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
