// How requests reach the session: over the loopback interface, or in workers of this page (the playground).
//
// `ask(request, event)` calls `event` with each event of the answer and returns a promise that ends with the last of them.
// A request of a kind that takes long supersedes the one of the same kind before; that one's promise ends with `null`.

const LONG = new Set(["check", "explain", "cell", "advise", "graph", "load"]);

/** The kind of long work a request is, or null; the same rule as in the session. */
export function longWork(request) {
  if (request.kind === "check") return request.fairness ? "cell" : request.explain ? "explain" : "check";
  return LONG.has(request.kind) ? request.kind : null;
}

/** Talks to `fairly explore`. */
export function serverTransport(token) {
  const tab = Math.random().toString(36).slice(2);
  const running = new Map();
  let path = "";
  let source = null;
  const address = (place, more = {}) => `${place}?${new URLSearchParams({ token, tab, path, ...more })}`;
  const text = async (response) => {
    if (!response.ok) throw Object.assign(new Error(await response.text()), { status: response.status });
    return response.json();
  };
  return {
    engines: "all engines",
    playground: false,
    files: async () => text(await fetch(address("/files"))),
    read: async (file) => text(await fetch(address("/file", { path: file }))),
    write: async (file, body, stamp) => text(await fetch(address("/file", { path: file, stamp }), { method: "PUT", body })),
    /** Calls `changed` when the file, or one that it names, changes on disk, and `lost` when the command has ended. */
    watch(file, named, changed, lost) {
      path = file ?? "";
      source?.close();
      source = new EventSource(address("/events", { named: named.join("\n") }));
      source.onmessage = (message) => changed(JSON.parse(message.data));
      source.onopen = () => lost(false);
      source.onerror = () => lost(true);
    },
    async ask(request, event) {
      const kind = longWork(request);
      const abort = new AbortController();
      if (kind) {
        running.get(kind)?.abort();
        running.set(kind, abort);
      }
      try {
        const response = await fetch(address("/ask"), { method: "POST", body: JSON.stringify(request), signal: abort.signal });
        if (!response.ok) throw new Error(await response.text());
        const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
        let rest = "";
        let last = null;
        for (;;) {
          const { done, value } = await reader.read();
          if (done) break;
          const lines = (rest + value).split("\n");
          rest = lines.pop();
          for (const line of lines) {
            if (!line) continue;
            last = JSON.parse(line);
            event(last);
          }
        }
        return last && (last.event === "done" || last.event === "failed") ? last : null;
      } catch (error) {
        if (error.name === "AbortError") return null;
        const failed = { event: "failed", message: `The command does not answer: ${error.message}` };
        event(failed);
        return failed;
      } finally {
        if (kind && running.get(kind) === abort) running.delete(kind);
      }
    },
    /** Ends work of these kinds. The answer says that it was ended. */
    cancel: (kinds) => fetch(address("/cancel", { kinds: kinds.join(",") }), { method: "POST" }).catch(() => {}),
  };
}
