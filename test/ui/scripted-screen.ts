/**
 * The real screen with a scripted agent: in a test's own process (`scripted.ts`), or as a program,
 * `bun scripted-screen.ts '{"items": 10000}'`. The first word of a typed message says what the agent does;
 * `obey` lists these words. A compaction writes its summary in one burst.
 */

import { LiveView } from "../../src/context/view/view.ts";
import { defaultSettings } from "../../src/config/settings.ts";
import type { AgentCommand } from "../../src/protocol/command.ts";
import type { Entry, Fact } from "../../src/protocol/entry.ts";
import type { AgentEvent, Ask } from "../../src/protocol/event.ts";
import { runScreen } from "../../src/ui/app.ts";
import { call as callOf, noPrice, say } from "../context/build.ts";
import { answer as answerOf, at, freeCut, makeReport, sessionWith } from "../facts.ts";
import { plainRules } from "../model-rules.ts";
import { quietServices } from "./quiet-services.ts";

export type Script = {
  items?: number;
  /** Stops the clock at this time. */
  nowMs?: number;
  settings?: Partial<typeof defaultSettings>;
  history?: Fact[];
  /** Draws with Ink's own output. */
  inkOutput?: boolean;
};

const rules = { ...plainRules, charsPerToken: { prose: 4, code: 3.5, result: 3.2 } };
const model = "scripted";
const usage = { input: 100, cacheRead: 0, cacheWrite: 0, output: 20 };

const answer = (text: string): Fact => answerOf(usage, [say(text)], { model });

const call = (id: string, command: string): Fact =>
  answerOf(usage, [callOf(id, "Bash", { command })], { model, stop: "tool_use" });

const result = (toolUse: string, text: string): Fact =>
  makeReport({
    toolUse,
    tool: "Bash",
    content: [say(text)],
    bytes: text.length,
    lines: text.split("\n").length,
  });

/** A session of `items` items: questions, calls with results, answers. */
const past = (items: number): Fact[] =>
  Array.from({ length: Math.ceil(items / 4) }, (_, turn) => turn * 4).flatMap((n) => [
    { type: "user", content: [say(`Question ${n}`)] },
    call(`old${n}`, `echo ${n}`),
    result(`old${n}`, `output of ${n}\nsecond line`),
    answer(`Answer ${n} with **some** \`markdown\`.\n\n- one\n- two`),
  ]);

const textOf = (content: readonly { type: string; text?: string }[]): string =>
  content.map(({ text = "" }) => text).join("");

class ScriptedAgent {
  readonly log: Entry[] = [];
  readonly #all: Entry[] = [];
  readonly #waiting: AgentEvent[] = [];
  #wake = (): void => {};
  #isHanging = false;
  #isStopped = false;
  #queue: string[] = [];
  #background = "";

  constructor(history: readonly Fact[]) {
    this.log.push(...[sessionWith(), ...history].map((fact) => this.#entry(fact)));
  }

  async *events(): AsyncGenerator<AgentEvent, void> {
    for (;;) {
      const next = this.#waiting.shift();
      if (next?.type === "entry") this.log.push(next.entry);
      if (next) yield next;
      else await new Promise<void>((resolve) => (this.#wake = resolve));
    }
  }

  #tell(...events: AgentEvent[]): void {
    this.#waiting.push(...events);
    this.#wake();
  }

  #entry(fact: Fact): Entry {
    const parent = this.#all.at(-1)?.id ?? null;
    const entry: Entry = { id: `e${this.#all.length + 1}`, parent, at, ...fact };
    this.#all.push(entry);
    return entry;
  }

  #add(...facts: Fact[]): void {
    for (const fact of facts) this.#tell({ type: "entry", entry: this.#entry(fact) });
  }

  send(command: AgentCommand): void {
    switch (command.type) {
      case "stop":
        this.#isHanging = false;
        this.#isStopped = true;
        this.#tell({ type: "unsent", messages: this.#queue.splice(0) });
        this.#tell({ type: "idle", why: "stopped" });
        if (this.#background !== "") this.#askAbout(this.#background);
        return;
      case "answer":
        return this.#tell({ type: "asked", id: command.id }, { type: "idle", why: "done" });
      case "compact":
        return this.#summarize();
      case "unqueue":
        this.#queue = [];
        return this.#tell({ type: "queue", waiting: [] });
      case "prompt": {
        const text = textOf(command.content);
        if (this.#isHanging) {
          this.#queue.push(text);
          return this.#tell({ type: "queue", waiting: [...this.#queue] });
        }
        this.#add({ type: "user", content: command.content });
        this.#tell({ type: "phase", phase: "waiting" });
        const [, verb = "", words = ""] = /^(\S*) ?([^]*)$/.exec(text) ?? [];
        return this.#obey(verb, words.replaceAll("\\n", "\n"));
      }
    }
  }

  #obey(verb: string, words: string): void {
    const id = `c${this.#all.length}`;
    switch (verb) {
      // Streams that many pieces.
      case "stream":
        return void this.#stream(Number(words));
      // Streams until it is stopped.
      case "pour":
        return void this.#stream(Infinity);
      case "say":
        this.#add(answer(words));
        break;
      // Runs a tool whose result these words are.
      case "call":
        this.#add(call(id, "scripted"), result(id, words));
        break;
      // Answers with a line of that many characters, and prints it.
      case "blow":
        this.#blow(id, "blow ".repeat(Number(words) / 5));
        break;
      // Streams, runs and asks the text of the first message.
      case "live":
        return this.#live(textOf(this.#firstPrompt));
      // Works until it is stopped, and queues what is typed; then something in the background asks for these words.
      case "hang":
        this.#isHanging = true;
        this.#background = words;
        return;
      case "ask":
        return this.#askAbout(words);
      case "throw":
        setTimeout(() => {
          throw new Error("scripted crash");
        });
    }
    this.#tell({ type: "idle", why: "done" });
  }

  get #firstPrompt() {
    return this.#all.find((entry) => entry.type === "user")?.content ?? [];
  }

  async #stream(pieces: number): Promise<void> {
    let text = "";
    this.#isStopped = false;
    for (let n = 0; n < pieces && !this.#isStopped; n++) {
      const piece = n % 100 === 99 ? "\n\n" : n % 2 === 0 ? " w" : String(n);
      text += piece;
      this.#tell({ type: "delta", index: 0, kind: "text", text: piece });
      // Like a network: each piece in a separate turn of the event loop.
      await Bun.sleep(1);
    }
    this.#add(answer(text));
    if (!this.#isStopped) this.#tell({ type: "idle", why: "done" });
  }

  #blow(id: string, line: string): void {
    for (let from = 0; from < line.length; from += 100_000) {
      const text = line.slice(from, from + 100_000);
      this.#tell({ type: "delta", index: 0, kind: "text", text });
    }
    this.#add(answer(line), call(id, "blow"), result(id, line));
  }

  #live(text: string): void {
    this.#tell(
      { type: "delta", index: 0, kind: "thinking", text },
      { type: "delta", index: 1, kind: "text", text },
    );
    this.#add(call("live", `running ${text}`));
    this.#tell(
      { type: "phase", phase: "tools" },
      { type: "progress", toolUse: "live", tail: `tail ${text}`, bytes: 10 },
      { type: "queue", waiting: [text] },
      { type: "retry", attempt: 1, of: 3, waitMs: 60_000, reason: text },
    );
    const shown = { tool: text, title: text, detail: text, rule: text };
    this.#ask({ ...shown, warning: text, description: text, detailKind: "diff" });
  }

  #askAbout(words: string): void {
    this.#ask({ tool: "Bash", title: words, detail: words, rule: `run ${words}` });
  }

  #ask(ask: Pick<Ask, "tool" | "title" | "detail" | "rule"> & Partial<Ask>): void {
    const detailKind = "command";
    this.#tell({ type: "ask", ask: { id: "1", toolUse: "1", detailKind, ...ask } });
  }

  /** A summary that arrives all at once, as through a buffering proxy. */
  #summarize(): void {
    this.#tell(
      { type: "phase", phase: "compacting" },
      { type: "compaction", state: { step: "started", tier: "summary" } },
    );
    let text = "";
    for (let n = 0; n < 500; n++) {
      text += ` word${n}`;
      this.#tell({ type: "compaction", state: { step: "writing", text } });
    }
    const results = this.#all.filter(({ type }) => type === "result");
    const changes = results.map(
      ({ id }) => ({ kind: "replace", entry: id, text: `[cleared #${id}]` }) as const,
    );
    this.#add(freeCut({ tier: "microcompact", trigger: "key", changes, price: noPrice }));
    this.#tell({ type: "compaction", state: { step: "done" } }, { type: "idle", why: "done" });
  }
}

/** Runs until the user quits; returns the exit code. */
export async function runScripted(script: Script): Promise<number> {
  const { nowMs, items = 0, history = past(items), settings, inkOutput = false } = script;
  const agent = new ScriptedAgent(history);
  const { code } = await runScreen(
    {
      events: agent.events(),
      send: (command) => agent.send(command),
      live: new LiveView({ path: agent.log, entries: agent.log }),
      version: "0.0.0",
      label: "scripted",
      model: "scripted",
      cwd: "/tmp",
      session: "scripted",
      logFile: "/dev/null",
      rules,
      settings: { ...defaultSettings, ...settings },
      services: quietServices,
      notices: [],
      ...(nowMs === undefined ? {} : { now: () => nowMs }),
    },
    !inkOutput,
  );
  return code;
}

if (import.meta.main) process.exit(await runScripted(JSON.parse(process.argv[2] ?? "{}")));
