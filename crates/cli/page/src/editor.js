// The editor: colours, squiggles, completion, verdicts beside properties, and the place of the selected step.
import { Compartment, EditorState, StateEffect, StateField, RangeSetBuilder } from "@codemirror/state";
import {
  EditorView, Decoration, GutterMarker, WidgetType, gutter, keymap, lineNumbers, highlightActiveLine,
  highlightActiveLineGutter, highlightSpecialChars, drawSelection, dropCursor,
} from "@codemirror/view";
import { defaultKeymap, history, historyKeymap, indentWithTab, toggleComment } from "@codemirror/commands";
import { bracketMatching, indentOnInput, indentUnit } from "@codemirror/language";
import { autocompletion, closeBrackets, closeBracketsKeymap, completionKeymap } from "@codemirror/autocomplete";
import { setDiagnostics, lintKeymap } from "@codemirror/lint";
import { highlightSelectionMatches, searchKeymap } from "@codemirror/search";
import { language, other, colours } from "./language.js";

const setVerdicts = StateEffect.define();
const setPlaces = StateEffect.define();

class Sign extends GutterMarker {
  constructor(verdict) {
    super();
    this.verdict = verdict;
  }
  eq(other) {
    return other.verdict.sign === this.verdict.sign && other.verdict.tone === this.verdict.tone;
  }
  toDOM() {
    const element = document.createElement("span");
    element.textContent = this.verdict.sign;
    element.className = `sign ${this.verdict.tone}`;
    element.title = this.verdict.words;
    return element;
  }
}

class Beside extends WidgetType {
  constructor(verdict, choose) {
    super();
    this.verdict = verdict;
    this.choose = choose;
  }
  eq(other) {
    return other.verdict.words === this.verdict.words && other.verdict.tone === this.verdict.tone;
  }
  toDOM() {
    const element = document.createElement("button");
    element.type = "button";
    element.className = `beside ${this.verdict.tone}`;
    // The words are not text of the element: a browser that replaces a selection by what is typed would keep them in the model.
    element.dataset.words = `${this.verdict.sign} ${this.verdict.words}`;
    element.setAttribute("aria-label", element.dataset.words);
    element.tabIndex = -1;
    element.onclick = () => this.choose(this.verdict.property);
    return element;
  }
  ignoreEvent() {
    return true;
  }
}

/** Verdicts: `[{ from, to, sign, tone, words, property }]`, moved along with edits. */
function verdictField(choose) {
  return StateField.define({
    create: () => [],
    update(value, transaction) {
      for (const effect of transaction.effects) if (effect.is(setVerdicts)) return effect.value;
      if (!transaction.docChanged) return value;
      return value.map((it) => ({
        ...it,
        from: transaction.changes.mapPos(it.from, 1),
        to: transaction.changes.mapPos(it.to, -1),
      }));
    },
    provide: (field) => [
      EditorView.decorations.compute([field, "doc"], (state) => {
        const builder = new RangeSetBuilder();
        const ends = new Map();
        for (const it of state.field(field)) {
          const line = state.doc.lineAt(Math.min(it.from, state.doc.length));
          if (!ends.has(line.to)) ends.set(line.to, it);
        }
        for (const end of [...ends.keys()].sort((a, b) => a - b)) {
          builder.add(end, end, Decoration.widget({ widget: new Beside(ends.get(end), choose), side: 1 }));
        }
        return builder.finish();
      }),
      gutter({
        class: "verdicts",
        lineMarker(view, line) {
          const found = view.state.field(field).find((it) => it.from >= line.from && it.from <= line.to);
          return found ? new Sign(found) : null;
        },
        lineMarkerChange: (update) => update.startState.field(field) !== update.state.field(field),
        initialSpacer: () => new Sign({ sign: "✓", tone: "good", words: "" }),
      }),
    ],
  });
}

const placeField = StateField.define({
  create: () => Decoration.none,
  update(value, transaction) {
    for (const effect of transaction.effects) {
      if (effect.is(setPlaces)) {
        const length = transaction.state.doc.length;
        const marks = effect.value.filter(([from, to]) => from < to && to <= length);
        marks.sort((a, b) => a[0] - b[0]);
        return Decoration.set(marks.map(([from, to]) => Decoration.mark({ class: "step-source" }).range(from, to)));
      }
    }
    return value.map(transaction.changes);
  },
  provide: (field) => EditorView.decorations.from(field),
});

/** Offers what the session says can be written here. `ask(position)` promises `{ from, options }`, or null. */
function complete(ask) {
  return async (context) => {
    if (!context.explicit && !context.matchBefore(/\w|[@.]/)) return null;
    const found = await ask(context.pos);
    if (!found || context.aborted) return null;
    const options = found.options.map(({ label, kind, detail }) => (kind === "keyword"
      ? { label, type: kind, info: detail } : { label, type: kind, detail, boost: 1 }));
    return { from: found.from, options, validFor: /^\w*$/ };
  };
}

/** Makes the editor. `on` has `change(text)`, `save()`, `check()`, `cursor(position)`, `choose(property)`, `complete(position)`. */
export function editor(parent, on) {
  const verdicts = verdictField(on.choose);
  const spoken = new Compartment();
  const view = new EditorView({
    parent,
    state: EditorState.create({
      extensions: [
        lineNumbers(), highlightActiveLineGutter(), highlightSpecialChars(), history(), drawSelection(), dropCursor(),
        verdicts, placeField, indentOnInput(), bracketMatching(), closeBrackets(), highlightActiveLine(),
        highlightSelectionMatches(), EditorView.lineWrapping, indentUnit.of("    "), spoken.of(language), colours,
        autocompletion({ override: [complete(on.complete)] }),
        keymap.of([
          { key: "Mod-s", preventDefault: true, run: () => (on.save(), true) },
          { key: "Mod-Enter", run: () => (on.check(), true) },
          { key: "Mod-/", run: toggleComment },
          ...closeBracketsKeymap, ...completionKeymap, ...lintKeymap, ...searchKeymap, ...historyKeymap, ...defaultKeymap,
          indentWithTab,
        ]),
        EditorView.contentAttributes.of({ "aria-label": "Text of the model", spellcheck: "false", autocapitalize: "off" }),
        EditorView.updateListener.of((update) => {
          if (update.docChanged) on.change();
          if (update.selectionSet || update.docChanged) on.cursor(update.state.selection.main.head);
        }),
      ],
    }),
  });
  return {
    view,
    /** The language, by the ending of its files. */
    setLanguage: (ending) => view.dispatch({ effects: spoken.reconfigure(ending === "fair" ? language : other(ending)) }),
    text: () => view.state.doc.toString(),
    setText(text) {
      view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: text }, selection: { anchor: 0 } });
    },
    replace(from, to, insert) {
      view.dispatch({ changes: { from, to, insert }, selection: { anchor: from }, scrollIntoView: true });
    },
    setDiagnostics(diagnostics) {
      const length = view.state.doc.length;
      const shown = diagnostics.map(({ severity, message, label, help, span }) => {
        const [from, to] = span ?? [0, 0];
        const start = Math.min(from, length);
        const words = [message, label && label !== message ? label : null, help].filter(Boolean).join("\n");
        return { from: start, to: Math.min(Math.max(to, start), length), severity, message: words };
      });
      view.dispatch(setDiagnostics(view.state, shown));
    },
    setVerdicts: (found) => view.dispatch({ effects: setVerdicts.of(found) }),
    setPlaces(places, scroll) {
      const effects = [setPlaces.of(places)];
      if (scroll && places.length && places[0][1] <= view.state.doc.length) {
        effects.push(EditorView.scrollIntoView(places[0][0], { y: "center" }));
      }
      view.dispatch({ effects });
    },
    goTo(position) {
      view.dispatch({ selection: { anchor: Math.min(position, view.state.doc.length) }, scrollIntoView: true });
      view.focus();
    },
    lineAt: (position) => view.state.doc.lineAt(Math.min(position, view.state.doc.length)),
  };
}
