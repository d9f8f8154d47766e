// A run as a table: a lane per process, a column per variable, a row per step, and the loop drawn as a loop.
//
// Row 0 is the initial state; row k is step k and the state it leads to. The rows of the loop carry the class `loop`.
// Arrow keys move through the rows, and from the end of the loop to its beginning.
import { h, button, formula, prose, scroller } from "./dom.js";
import { text, marked } from "./values.js";

/** All states of a run, as objects from names to values. */
export function states(run) {
  const all = [{ ...run.initial }];
  for (const step of run.steps) all.push({ ...all.at(-1), ...step.changes });
  return all;
}

/** The row after a row: at the end of the loop, its first step. */
export function following(run, row) {
  if (row < run.steps.length) return row + 1;
  return run.loop === null || run.loop === undefined ? row : run.loop + 1;
}

/** The row before a row. */
export const preceding = (run, row) => Math.max(0, row - 1);

const isLoop = (run, row) => run.loop !== null && run.loop !== undefined && row > run.loop;

/** The processes of a run, in order: those with a location and those that act. */
function processes(run) {
  const located = Object.keys(run.initial).filter((name) => name.endsWith("@")).map((name) => name.slice(0, -1));
  return [...new Set([...located, ...run.steps.flatMap((step) => step.processes)])];
}

/** `P[1].try` without the process, if the lane says who acts. */
const ownLabel = (step) => (step.processes.length === 1 && step.action.startsWith(`${step.processes[0]}.`)
  ? step.action.slice(step.processes[0].length + 1) : step.action);

/**
 * Shows a run. `view` has `run`, `row`, `all` (also what never changes), `story`, `ledger`, `choose(row)`, `here` (rows at
 * the cursor of the editor).
 */
export function runTable(view) {
  const { run } = view;
  const every = states(run);
  const lanes = processes(run);
  const changes = new Set(run.steps.flatMap((step) => Object.keys(step.changes)));
  const acts = new Set(run.steps.flatMap((step) => step.processes));
  const fates = new Map((view.story?.fates ?? []).map((fate) => [fate.process, fate]));
  const shownLanes = lanes.filter((name) => view.all || acts.has(name) || changes.has(`${name}@`) || fates.has(name));
  const variables = Object.keys(run.initial).filter((name) => !name.endsWith("@"));
  const shown = variables.filter((name) => view.all || changes.has(name));
  const hidden = variables.length - shown.length + lanes.length - shownLanes.length;

  const row = (k) => {
    const step = k > 0 ? run.steps[k - 1] : null;
    const state = every[k];
    const changed = step ? step.changes : {};
    const loop = isLoop(run, k);
    const cells = shownLanes.map((name) => {
      const acting = step?.processes.includes(name);
      const location = `${name}@`;
      const fate = fates.get(name);
      const could = loop && !acting && fate?.could_act.includes(k);
      const classes = ["lane", acting && "acts", fate && `fate-${fate.kind}`, could && "could"];
      const moved = location in changed || k === 0;
      return h("td", { class: classes.filter(Boolean).join(" "), "data-lane": name },
        acting ? h("span", { class: "dot", "aria-hidden": "true" }) : null,
        could ? h("span", { class: "ring", title: `${name} could act before step ${k}` }) : null,
        acting ? h("span", { class: "label" }, ownLabel(step)) : null,
        moved && location in state
          ? h("span", { class: k === 0 ? "place" : "place changed", "data-name": location, "data-value": text(state[location]) },
              acting ? h("span", { class: "arrow", "aria-label": "goes to" }, "→ ") : null, text(state[location]))
          : null);
    });
    const values = shown.map((name) => {
      const isNew = name in changed;
      return h("td", { class: isNew ? "value changed" : "value", "data-name": name, "data-value": text(state[name]) },
        h("span", { class: isNew || k === 0 ? "text" : "text same" }, isNew ? marked(state[name], every[k - 1][name]) : text(state[name])));
    });
    const first = loop && k === run.loop + 1;
    const last = loop && k === run.steps.length;
    const selected = k === view.row;
    return h("tr", {
      class: [loop && "loop", first && "loop-first", last && "loop-last", selected && "selected", view.here?.has(k) && "here"]
        .filter(Boolean).join(" "),
      role: "row", "aria-selected": String(selected), tabindex: selected ? "0" : "-1", "data-row": k,
      "aria-label": k === 0 ? "Initial state" : `Step ${k}, ${step.action}${loop ? ", in the loop" : ""}`,
      onclick: () => view.choose(k),
    },
    h("td", { class: "rail", "aria-hidden": "true" }, first ? h("span", { class: "tip" }) : null),
    h("td", { class: "number" }, k),
    shownLanes.length ? null : h("td", { class: "action" }, step?.action ?? "initially"),
    cells, values);
  };

  const body = h("tbody", {}, every.map((_, k) => row(k)));
  const table = h("table", { class: "run", role: "grid", "aria-label": "Run, step by step" },
    h("thead", {}, h("tr", {},
      h("th", { class: "rail" }), h("th", { class: "number", scope: "col" }, h("span", { class: "out" }, "Step")),
      shownLanes.length ? null : h("th", { scope: "col" }, "Action"),
      shownLanes.map((name) => h("th", { scope: "col", class: `lane ${fates.has(name) ? `fate-${fates.get(name).kind}` : ""}` }, name,
        fates.get(name) && fates.get(name).kind !== "acts" ? h("small", {}, ` ${fates.get(name).kind}`) : null)),
      shown.map((name) => h("th", { scope: "col", class: "value", "data-name": name }, name)))),
    body);
  table.addEventListener("keydown", (event) => {
    const moves = {
      ArrowDown: following, ArrowRight: following, ArrowUp: preceding, ArrowLeft: preceding,
      Home: () => 0, End: () => run.steps.length,
    };
    const move = moves[event.key];
    if (!move || event.metaKey || event.ctrlKey || event.altKey) return;
    event.preventDefault();
    view.choose(move(run, Number(body.querySelector("tr.selected").dataset.row)), true);
  });
  const looping = run.loop !== null && run.loop !== undefined;
  return h("div", { class: "run-box" },
    scroller(table),
    looping ? h("p", { class: "legend loop-words" }, h("span", { class: "tip", "aria-hidden": "true" }),
      run.loop + 1 === run.steps.length ? `Step ${run.steps.length} repeats for ever.`
        : `Steps ${run.loop + 1} to ${run.steps.length} repeat for ever.`) : null,
    h("p", { class: "legend" },
      h("label", {}, h("input", { type: "checkbox", class: "all", ...(view.all ? { checked: true } : {}),
        onchange: (event) => view.setAll(event.target.checked) }), " Show what never changes"),
      hidden ? ` (${hidden} hidden)` : ""));
}

/** Moves the mark of the selected row without drawing the table again. */
export function moveRow(box, row, focus) {
  for (const old of box.querySelectorAll("tr.selected")) {
    old.classList.remove("selected");
    old.setAttribute("aria-selected", "false");
    old.tabIndex = -1;
  }
  const chosen = box.querySelector(`tr[data-row="${row}"]`);
  if (!chosen) return;
  chosen.classList.add("selected");
  chosen.setAttribute("aria-selected", "true");
  chosen.tabIndex = 0;
  if (focus) chosen.focus();
  (chosen.querySelector("td.acts") ?? chosen).scrollIntoView({ block: "nearest", inline: "nearest" });
}

const HOW = {
  taken: (step) => ["taken at ", step], disabled: (step) => ["disabled before ", step],
  true: (step) => ["true when ", step, " is taken"], untriggered: () => ["never triggered"],
  everything: () => ["every step that leaves a state of the loop is in it"],
};

/** The fairness ledger: how the loop meets each requirement, each with a link to its step. */
export function ledger(entries, choose) {
  if (!entries?.length) return null;
  const line = ({ requirement, met, step }) => h("li", {}, h("code", {}, requirement), " ",
    h("span", { class: "how" }, HOW[met](step ? button(`step ${step}`, () => choose(step, true), { class: "link", "data-step": step }) : "")));
  return h("section", { class: "ledger", "aria-label": "Why the run is fair" }, h("h3", {}, "Why the run is fair"),
    h("ul", {}, entries.map(line)));
}

/** The state of a row: every variable, the truth of the parts of the property, and watched expressions. */
export function stateCard(view) {
  const { run, row } = view;
  const every = states(run);
  const state = every[row];
  const changed = row > 0 ? run.steps[row - 1].changes : {};
  const step = row > 0 ? run.steps[row - 1] : null;
  const names = Object.keys(state);
  const item = (name) => h("div", { class: [name in changed && "changed", text(state[name]).length > 18 && "long"].filter(Boolean).join(" ") },
    h("dt", {}, name.replace(/@$/, " at")), h("dd", {}, name in changed ? marked(state[name], every[row - 1][name]) : text(state[name])));
  const truth = view.truth;
  const parts = truth?.parts.filter((part) => !view.property || part.property === view.property) ?? [];
  const sign = (it) => (it === true ? ["✓", "true"] : it === false ? ["✗", "false"] : ["·", "open"]);
  const partLine = (part, k) => {
    const [mark, word] = sign(part.truth[row]);
    const first = !view.property && part.property !== parts[k - 1]?.property;
    return [first ? h("li", { class: "whose" }, part.property) : null, h("li", { class: `truth ${word}`, style: `--depth:${part.depth}` }, h("b", { "aria-label": word }, mark), " ",
      formula(part.formula))];
  };
  const watchLine = (watch, k) => h("li", { class: "watch" }, h("code", {}, watch.text), " ",
    watch.wrong ? h("span", { class: "wrong" }, watch.wrong) : h("b", { class: "watched" }, watch.values[row] ?? "no value"),
    button("×", () => view.unwatch(k), { class: "quiet", "aria-label": `Stop watching ${watch.text}` }));
  const input = h("input", { type: "text", class: "watch-input", placeholder: "Watch an expression: x + 1, P[1]@try, F free",
    "aria-label": "Watch an expression", onkeydown: (event) => {
      if (event.key === "Enter" && input.value.trim()) view.watch(input.value.trim());
    } });
  return h("section", { class: "state", "aria-label": "The selected state" },
    h("h3", {}, row === 0 ? "Initial state" : `After step ${row}`, step ? h("small", {}, ` ${step.action}`) : null),
    view.story?.steps?.[row - 1] ? h("p", { class: "legend" }, view.story.steps[row - 1]) : null,
    h("dl", { class: "values" }, names.map(item)),
    parts.length ? h("ul", { class: "parts", "aria-label": "Truth of the parts of the property" }, parts.map(partLine)) : null,
    truth?.watches.length ? h("ul", { class: "watches", "aria-label": "Watched expressions" }, truth.watches.map(watchLine)) : null,
    input,
    h("p", { class: "row-actions" },
      button("Go on from here", view.fork, { class: "fork" }),
      row > 0 && view.show ? button("Show in the text", view.show, { class: "show-source" }) : null));
}

/** Who does not act, and what would rule the run out, with buttons that assume it. */
export function account(story, assume) {
  if (!story) return null;
  const fates = story.fates.filter((fate) => fate.kind !== "acts");
  return [
    fates.length ? h("section", { "aria-label": "Who does not act" }, h("h3", {}, "Who does not act"),
      h("ul", { class: "fates" }, fates.map((fate) => h("li", { class: fate.kind }, prose(fate.sentence))))) : null,
    story.remedy ? h("section", { "aria-label": "What would rule this run out" }, h("h3", {}, "What would rule this run out"),
      h("p", {}, prose(story.remedy)),
      assume && story.assumptions.length ? h("p", { class: "assumptions" }, story.assumptions.map((it) => button(["Assume ", h("code", {}, it)],
        () => assume([it]), { class: "assume" }))) : null) : null,
    story.foundation ? h("section", { "aria-label": "What it rests on" }, h("h3", {}, "What it rests on"),
      h("p", {}, prose(story.foundation)),
      story.dropped.length ? h("ul", { class: "dropped" }, story.dropped.map(([requirement, need]) =>
        h("li", {}, h("b", {}, need), " ", h("code", {}, requirement)))) : null) : null,
  ];
}

