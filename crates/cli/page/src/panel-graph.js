// The state graph, whole or projected.
import { app } from "./state.js";
import { panel } from "./frame.js";
import { ask } from "./asking.js";
import { showPanel } from "./panel.js";
import { fill, h, number } from "./dom.js";
import { graphPicture } from "./graph.js";
import { bindings } from "./values.js";

/** How many states are drawn at most. */
const DRAWN = 300;

export async function drawGraph() {
  app.graphMessage = "";
  const outcome = app.outcomes.get(app.property);
  await ask("graph", { property: outcome ? app.property : null, on: [...app.graphOn], limit: DRAWN }, (it) => {
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

export function showGraph() {
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
