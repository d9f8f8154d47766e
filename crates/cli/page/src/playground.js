// The playground's transport: the engines as WebAssembly, in two workers of this page. One answers what takes a moment, the
// other does long work; to cancel is to end that worker and start another.
import { longWork } from "./transport.js";

/** What runs in a worker: loads the program and answers requests one after another. */
function workerCode() {
  let program = null;
  const decoder = new TextDecoder();
  const encoder = new TextEncoder();
  let current = null;
  onmessage = async ({ data }) => {
    if (data.module) {
      const instance = await WebAssembly.instantiate(data.module, { page: {
        emit: (at, length) => postMessage({ id: current, event: decoder.decode(new Uint8Array(program.memory.buffer, at, length)) }),
        now: () => performance.now(),
      } });
      program = instance.exports;
      for (const waiting of held.splice(0)) answer(waiting);
    } else if (program) answer(data);
    else held.push(data);
  };
  const held = [];
  function answer({ id, request }) {
    current = id;
    const bytes = encoder.encode(request);
    const at = program.room(bytes.length);
    new Uint8Array(program.memory.buffer, at, bytes.length).set(bytes);
    try {
      program.answer(at, bytes.length);
    } catch (error) {
      postMessage({ id, event: JSON.stringify({ event: "failed", message: `The engine broke down: ${error.message}` }) });
      postMessage({ id, broken: true });
    }
    postMessage({ id, end: true });
  }
}

async function unpacked(text) {
  const bytes = Uint8Array.from(atob(text), (it) => it.charCodeAt(0));
  return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"))).arrayBuffer();
}

/** `data` has `wasm` (base64 of gzip), `examples` (name to text) and `files`. */
export function browserTransport(data) {
  const module = unpacked(data.wasm).then((bytes) => WebAssembly.compile(bytes));
  const code = URL.createObjectURL(new Blob([`(${workerCode})()`], { type: "text/javascript" }));
  let last = 0;
  const waiting = new Map();
  function makeWorker() {
    const worker = new Worker(code);
    module.then((it) => worker.postMessage({ module: it }));
    worker.onmessage = ({ data: message }) => {
      const job = waiting.get(message.id);
      if (!job) return;
      if (message.event) {
        job.last = JSON.parse(message.event);
        job.event(job.last);
      } else if (message.broken) {
        // A program that has broken down is not used again.
        if (job.kind) restart();
        else quick = makeWorker();
        finish(message.id, job.last);
      } else if (message.end) finish(message.id, job.last);
    };
    return worker;
  }
  const finish = (id, value) => {
    const job = waiting.get(id);
    waiting.delete(id);
    job?.resolve(value);
  };
  let quick = makeWorker();
  let long = makeWorker();
  function restart() {
    long.terminate();
    long = makeWorker();
    for (const [id, job] of [...waiting]) if (job.kind && job.sent) long.postMessage({ id, request: job.text });
  }
  function end(kinds, value) {
    const ended = [...waiting].filter(([, job]) => job.kind && kinds.includes(job.kind));
    if (!ended.length) return;
    for (const [id, job] of ended) {
      if (value) job.event(value);
      finish(id, value);
    }
    restart();
  }
  return {
    engines: "the engines explicit and counter, advice and explanations",
    playground: true,
    files: async () => ({ models: Object.keys(data.examples), first: data.first ?? Object.keys(data.examples)[0], settings: [] }),
    read: async (file) => {
      if (!(file in data.examples)) throw new Error("there is no such example");
      return { text: data.examples[file], stamp: "" };
    },
    write: async () => ({ stamp: "" }),
    watch() {},
    ask(request, event) {
      const kind = longWork(request);
      if (kind) end([kind], null);
      return new Promise((resolve) => {
        const id = (last += 1);
        const text = JSON.stringify(request);
        waiting.set(id, { kind, event, resolve, text, sent: true, last: null });
        (kind ? long : quick).postMessage({ id, request: text });
      });
    },
    cancel: async (kinds) => end(kinds, { event: "failed", message: "Cancelled." }),
  };
}
