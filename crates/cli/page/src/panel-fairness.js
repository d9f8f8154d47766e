// The ladder of fairness, the answer of a cell, and what can be assumed.
import { app } from "./state.js";
import { editor, panel, say } from "./frame.js";
import { ask, askTruth, checkNow } from "./asking.js";
import { chooseRow, ofOutcome } from "./chosen.js";
import { heading, showProperties } from "./verdicts.js";
import { runBox, showPanel, showRunBox, showState, stateBox } from "./panel.js";
import { fill, h } from "./dom.js";
import { account, ledger } from "./run.js";
import { ladderTable, needs } from "./ladder.js";

export function showFairness() {
  const chosen = app.cellOutcome;
  fill(panel, app.outcomes.size === 0 ? h("p", { class: "empty" }, "There are no properties.") : [
    h("p", { class: "legend" }, "Under which fairness of every process or action does each property hold? Choose a cell to see the run, or the reason."),
    ladderTable({ advice: app.advice, names: [...app.outcomes.keys()], cell: app.cell, choose: chooseCell }),
    app.cell && !chosen ? h("p", { class: "legend" }, "Looking…") : null,
    chosen ? h("div", { class: "cell-answer" }, heading(chosen), ofOutcome(chosen) ? [h("div", { class: "run-and-state" }, runBox, stateBox), ledger(chosen.result.counterexample.fairness, chooseRow)] : null,
      account(chosen.story, assuming())) : null,
    app.adviceMessage ? h("p", { class: "note" }, h("b", {}, "Note "), app.adviceMessage) : null,
    needs(app.advice.get(app.cell?.[0] ?? app.property), assuming())]);
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

/** What writes requirements into the `under` clause of the chosen property; null if the text is in another language. */
export const assuming = () => (app.opened?.language ? null : assume);

function assume(requirements) {
  ask("assume", { property: app.property, requirements }, (it) => {
    if (it.event === "edit") {
      editor.replace(it.span[0], it.span[1], it.text);
      checkNow();
    } else if (it.event === "failed") say(it.message);
  });
}
