// What the page knows: the one place for all that can change.
import { serverTransport } from "./transport.js";
import { browserTransport } from "./playground.js";

export const TABS = [["run", "Run"], ["fairness", "Fairness"], ["simulate", "Simulate"], ["graph", "Graph"], ["compare", "Compare"]];

export const data = window.FAIRLY_PLAYGROUND;

export const transport = data ? browserTransport(data) : serverTransport(new URLSearchParams(location.search).get("token") ?? "");

/** All that can change. */
export const app = {
  path: null, linked: null, stamp: "", saved: "", settings: [], models: [],
  opened: null, outcomes: new Map(), notes: [], advice: new Map(), stories: new Map(), obstacle: null,
  property: null, tab: "run", row: 0, all: false, watches: [], truth: null, here: new Set(),
  cell: null, cellOutcome: null, busy: new Map(), pending: false, progress: null,
  walk: null, walked: null, loaded: null, graph: null, graphOn: new Set(), graphMessage: "", adviceMessage: "",
  pinnedRun: null, pinnedVersion: null,
};
