// The state graph: levels from the initial states down, the counterexample marked. Drawn for a few hundred nodes; beyond that
// it must be projected to some variables.
import { h } from "./dom.js";
import { binding } from "./values.js";

const HIGH = 84;

/** Draws a graph. `choose(state)` is called with the values of a node. */
export function graphPicture(graph, choose) {
  const levels = [];
  graph.levels.forEach((level, node) => (levels[level] ??= []).push(node));
  // Wide levels are drawn closer, so that the whole fits.
  const wide = Math.min(120, Math.max(36, 900 / Math.max(...levels.map((nodes) => nodes.length))));
  const place = new Map();
  const above = new Map();
  for (const { from, to } of graph.steps) {
    if (graph.levels[to] === graph.levels[from] + 1) above.set(to, [...(above.get(to) ?? []), from]);
  }
  // A node stands below those that lead to it.
  for (const nodes of levels) {
    const mean = (node) => {
      const from = above.get(node) ?? [];
      return from.reduce((sum, it) => sum + (place.get(it)?.x ?? 0), 0) / (from.length || 1);
    };
    nodes.sort((a, b) => mean(a) - mean(b) || a - b);
    nodes.forEach((node, k) => place.set(node, { x: (k - (nodes.length - 1) / 2) * wide, y: graph.levels[node] * HIGH }));
  }
  const xs = [...place.values()].map((it) => it.x);
  const [left, right] = [Math.min(...xs) - 70, Math.max(...xs) + 70];
  const height = (levels.length - 1) * HIGH + 80;
  const grouped = new Map();
  for (const step of graph.steps) {
    const key = `${step.from} ${step.to}`;
    const known = grouped.get(key) ?? { ...step, actions: [] };
    known.actions.push(step.action);
    if (step.part === "cycle" || !known.part) known.part = step.part;
    grouped.set(key, known);
  }
  const edges = [...grouped.values()].sort((a, b) => Number(Boolean(a.part)) - Number(Boolean(b.part))).map((step) => {
    const [a, b] = [place.get(step.from), place.get(step.to)];
    let path;
    if (step.from === step.to) path = `M${a.x + 8} ${a.y - 10}c26 -26 40 14 6 14`;
    else if (b.y > a.y) path = `M${a.x} ${a.y + 13}C${a.x} ${a.y + 40} ${b.x} ${b.y - 40} ${b.x} ${b.y - 15}`;
    else {
      const bow = 34 + Math.abs(a.y - b.y) * 0.16;
      const side = a.x >= 0 ? 1 : -1;
      path = `M${a.x + side * 13} ${a.y}C${a.x + side * bow} ${a.y - 10} ${b.x + side * bow} ${b.y + 12} ${b.x + side * 14} ${b.y + 3}`;
    }
    return h("svg:path", { d: path, class: `edge ${step.part ?? ""}`, "marker-end": `url(#tip${step.part ? `-${step.part}` : ""})` },
      h("svg:title", {}, step.actions.join(", ")));
  });
  const words = (node) => Object.entries(graph.states[node]).map(([name, value]) => binding(name, value));
  const faulty = new Set(graph.faulty);
  const nodes = graph.states.map((state, node) => {
    const { x, y } = place.get(node);
    const classes = ["node", graph.levels[node] === 0 && "initial", graph.fair[node] && "fair", faulty.has(node) && "faulty"];
    const go = () => choose(node, state);
    return h("svg:g", { class: classes.filter(Boolean).join(" "), tabindex: "0", role: "button", "data-node": node,
      "aria-label": `State ${node}: ${words(node).join(", ")}`, transform: `translate(${x} ${y})`, onclick: go,
      onkeydown: (event) => { if (event.key === "Enter") go(); } },
    h("svg:circle", { r: "12" }), h("svg:text", { "text-anchor": "middle", y: "4" }, node), h("svg:title", {}, words(node).join("\n")));
  });
  const marker = (id, kind) => h("svg:marker", { id, viewBox: "0 0 8 8", refX: "7", refY: "4", markerUnits: "userSpaceOnUse", markerWidth: "9", markerHeight: "9", orient: "auto-start-reverse" },
    h("svg:path", { d: "M0 0L8 4L0 8z", class: `tip-${kind}` }));
  return h("div", { class: "scroll graph-box" },
    h("svg:svg", { class: "graph", role: "group", "aria-label": `State graph with ${graph.states.length} nodes`,
      viewBox: `${left} -40 ${right - left} ${height}`, style: `width:${Math.round(right - left)}px;aspect-ratio:${Math.round(right - left)}/${height}` },
    h("svg:defs", {}, marker("tip", "plain"), marker("tip-stem", "stem"), marker("tip-cycle", "cycle")), edges, nodes));
}
