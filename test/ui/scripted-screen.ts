/**
 * The real screen with a scripted agent, as a program of its own:
 * `bun scripted-screen.ts '{"items": 10000}'`. Typed messages are the script:
 * "stream 200" streams that many deltas, then writes the file $STREAMED, "pour" streams until it is stopped, "say ..." answers with
 * Markdown, "call ..." runs a tool whose result is the words, "large 60000" one with that many lines,
 * "cut" clears old results, "throw" throws an uncaught error, "ask ..." asks for permission to do
 * something of that name, "blow 10000000" answers with a line of that many characters and prints it,
 * "live" streams, runs and asks what the first message says, "hang" works until it is stopped and
 * queues what is typed. A compaction writes its summary in one burst.
 */

import { plainRules } from "../model-rules.ts";
import { defaultSettings } from "../../src/config/schema.ts";
import { LiveView } from "../../src/context/view/view.ts";
import type { AgentCommand } from "../../src/protocol/command.ts";
import type { Entry, Fact } from "../../src/protocol/entry.ts";
import type { AgentEvent } from "../../src/protocol/event.ts";
import type { ModelRules } from "../../src/protocol/model.ts";
import { runScreen } from "../../src/ui/app.ts";
import type { PagedText, ScreenOptions, Services } from "../../src/ui/types.ts";
import { quietServices } from "./quiet-services.ts";

type Script = {
  items?: number;
  /** Stops the clock at this time. */
  nowMs?: number;
  settings?: Partial<typeof defaultSettings>;
  history?: Fact[];
  /** Draws with Ink's own output. */
  inkOutput?: boolean;
};

const rules: ModelRules = {
  ...plainRules,
  charsPerToken: { prose: 4, code: 3.5, result: 3.2 },
};

const usage = { input: 100, cacheRead: 0, cacheWrite: 0, output: 20 };
const at = "2026-01-01T00:00:00.000Z";
const script: Script = JSON.parse(process.argv[2] ?? "{}");

let serial = 0;
let head: string | null = null;
const all: Entry[] = [];
function entry(fact: Fact): Entry {
  const made: Entry = { id: `e${++serial}`, parent: head, at, ...fact };
  head = made.id;
  all.push(made);
  return made;
}

const answer = (text: string): Fact => ({
  type: "assistant",
  content: [{ type: "text", text }],
  model: "scripted",
  usage,
  stop: "end_turn",
  sentAt: at,
});

const call = (id: string, command: string): Fact => ({
  type: "assistant",
  content: [{ type: "tool_use", id, name: "Bash", input: { command } }],
  model: "scripted",
  usage,
  stop: "tool_use",
  sentAt: at,
});

const result = (toolUse: string, text: string, file?: string): Fact => ({
  type: "result",
  toolUse,
  tool: "Bash",
  content: [{ type: "text", text }],
  bytes: text.length,
  lines: text.split("\n").length,
  ...(file === undefined ? {} : { file }),
});

/** A session of `items` items: questions, calls with results, answers. */
function* past(items: number): Generator<Fact> {
  for (let n = 0; n < items; n += 4) {
    yield { type: "user", content: [{ type: "text", text: `Question ${n}` }] };
    yield call(`old${n}`, `echo ${n}`);
    yield result(`old${n}`, `output of ${n}\nsecond line`);
    yield answer(`Answer ${n} with **some** \`markdown\`.\n\n- one\n- two`);
  }
}

entry({
  type: "session",
  version: 1,
  session: "scripted",
  cwd: "/tmp",
  model: "scripted",
  system: "",
  tools: [],
});
for (const one of script.history ?? past(script.items ?? 0)) entry(one);
const log = [...all];

const waiting: AgentEvent[] = [];
let wake = (): void => {};
const tell = (...events: AgentEvent[]): void => {
  waiting.push(...events);
  wake();
};

async function* scriptedEvents(): AsyncGenerator<AgentEvent, void> {
  for (;;) {
    const next = waiting.shift();
    if (next?.type === "entry") log.push(next.entry);
    if (next) yield next;
    else await new Promise<void>((resolve) => (wake = resolve));
  }
}

const fact = (made: Fact): void => tell({ type: "entry", entry: entry(made) });

let isHanging = false;
let isStopped = false;
const queue: string[] = [];

async function obey(command: AgentCommand): Promise<void> {
  if (command.type === "restore") {
    const nothing = { usedBefore: 0, usedAfter: 0, cachedBroken: 0, usd: 0, breakEvenCalls: null };
    return fact({ type: "restore", cut: command.cut, price: nothing });
  }
  if (command.type === "stop") {
    isHanging = false;
    isStopped = true;
    return tell({ type: "idle", why: "stopped" });
  }
  if (command.type === "compact") return summarize();
  if (command.type === "unqueue") {
    queue.length = 0;
    return tell({ type: "queue", waiting: [] });
  }
  if (command.type !== "prompt") return;
  if (isHanging) {
    queue.push(command.content.map((one) => (one.type === "text" ? one.text : "")).join(""));
    return tell({ type: "queue", waiting: [...queue] });
  }
  const [block] = command.content;
  const text = block?.type === "text" ? block.text : "";
  fact({ type: "user", content: command.content });
  const [verb, ...rest] = text.split(" ");
  const words = rest.join(" ");
  tell({ type: "phase", phase: "waiting" });
  if (verb === "stream") await stream(Number(words));
  else if (verb === "pour") return void stream(Infinity);
  else if (verb === "say") fact(answer(words.replaceAll("\\n", "\n")));
  else if (verb === "call") {
    fact(call(`c${serial}`, "scripted"));
    fact(result(`c${serial - 1}`, words.replaceAll("\\n", "\n")));
  } else if (verb === "large") {
    fact(call(`c${serial}`, "seq"));
    fact(result(`c${serial - 1}`, "only a preview", `lines:${words}`));
  } else if (verb === "cut") cut();
  else if (verb === "blow") {
    const line = "blow ".repeat(Number(words) / 5);
    for (let at = 0; at < line.length; at += 100_000) {
      tell({ type: "delta", index: 0, kind: "text", text: line.slice(at, at + 100_000) });
    }
    fact(answer(line));
    fact(call(`b${serial}`, "blow"));
    fact(result(`b${serial - 1}`, line));
  } else if (verb === "live") {
    const first = all.find(({ type }) => type === "user");
    const evil =
      first?.type === "user" && first.content[0]?.type === "text" ? first.content[0].text : "";
    tell({ type: "delta", index: 0, kind: "thinking", text: evil });
    tell({ type: "delta", index: 1, kind: "text", text: evil });
    fact(call("live", `running ${evil}`));
    tell({ type: "phase", phase: "tools" });
    tell({ type: "progress", toolUse: "live", tail: `tail ${evil}`, bytes: 10 });
    tell({ type: "queue", waiting: [evil] });
    tell({ type: "retry", attempt: 1, of: 3, waitMs: 60_000, reason: evil });
    const what = {
      tool: evil,
      title: evil,
      detail: evil,
      rule: evil,
      warning: evil,
      description: evil,
    };
    return tell({ type: "ask", ask: { id: "1", toolUse: "live", ...what, detailKind: "diff" } });
  } else if (verb === "hang") {
    isHanging = true;
    return;
  } else if (verb === "ask") {
    const what = { tool: "Bash", title: words, detail: words, rule: `run ${words}` };
    return tell({ type: "ask", ask: { id: "1", toolUse: "1", ...what, detailKind: "command" } });
  } else if (verb === "throw")
    setTimeout(() => {
      throw new Error("scripted crash");
    });
  tell({ type: "idle", why: "done" });
}

async function stream(pieces: number): Promise<void> {
  let text = "";
  isStopped = false;
  for (let n = 0; n < pieces && !isStopped; n++) {
    const piece = n % 100 === 99 ? "\n\n" : n % 2 === 0 ? " w" : String(n);
    text += piece;
    tell({ type: "delta", index: 0, kind: "text", text: piece });
    // Like a network: each piece in a separate turn of the event loop.
    await Bun.sleep(4);
  }
  fact(answer(text));
  const marker = process.env["STREAMED"];
  if (marker !== undefined) await Bun.write(marker, "");
}

/** A summary that arrives all at once, as through a buffering proxy. */
function summarize(): void {
  tell(
    { type: "phase", phase: "compacting" },
    { type: "compaction", state: { step: "started", tier: "summary" } },
  );
  let text = "";
  for (let n = 0; n < 500; n++) {
    text += ` word${n}`;
    tell({ type: "compaction", state: { step: "writing", text } });
  }
  cut();
  tell({ type: "compaction", state: { step: "done" } }, { type: "idle", why: "done" });
}

/** Clears every result so far. */
function cut(): void {
  const results = all.filter(({ type }) => type === "result");
  fact({
    type: "cut",
    tier: "microcompact",
    trigger: "key",
    reason: "scripted",
    changes: results.map(({ id }) => ({ kind: "replace", entry: id, text: `[cleared #${id}]` })),
    price: { usedBefore: 5_000, usedAfter: 1_000, cachedBroken: 0, usd: 0.01, breakEvenCalls: 1 },
  });
}

function numbered(lines: number): PagedText {
  return {
    lines,
    bytes: lines * 10,
    read: async (from, to) =>
      Array.from(
        { length: Math.max(0, Math.min(to, lines) - from) },
        (_, i) => `original line ${from + i + 1}`,
      ),
  };
}

const services: Services = {
  ...quietServices,
  openOriginal: async ({ ...of }) =>
    of.type === "result" && of.file?.startsWith("lines:")
      ? numbered(Number(of.file.slice("lines:".length)))
      : numbered(3),
};

const options: ScreenOptions = {
  events: scriptedEvents(),
  send: (command) => void obey(command),
  live: new LiveView({ path: log, entries: log }),
  version: "0.0.0",
  label: "scripted",
  model: "scripted",
  cwd: "/tmp",
  session: "scripted",
  logFile: "/dev/null",
  rules,
  settings: { ...defaultSettings, ...script.settings },
  services,
  notices: [],
  ...(script.nowMs === undefined ? {} : { now: () => script.nowMs ?? 0 }),
};
const { code } = await runScreen(options, !script.inkOutput);
process.exit(code);
