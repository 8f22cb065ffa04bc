import { plainRules } from "../model-rules.ts";
import type { ModelClient } from "../../src/model/client.ts";
import type { AssistantBlock, ToolUseBlock } from "../../src/protocol/block.ts";
import type {
  Delta,
  ModelEvent,
  ModelRequest,
  ModelRules,
  Stop,
  Usage,
} from "../../src/protocol/model.ts";
import type { PermissionMode } from "../../src/protocol/permission.ts";
import type { ToolOutcome, Review, CallOptions, Toolbox } from "../../src/tools/tool.ts";

/** One answer of the scripted model: what it streams, or the error that it throws after that. */
export type Scripted = {
  blocks?: AssistantBlock[];
  /** Text that is streamed but never becomes a complete block. */
  torn?: string;
  /** The kind of that text. Default: text. */
  tornKind?: Delta["kind"];
  stop?: Stop;
  detail?: string;
  error?: Error;
  /** Called when the request arrives. */
  before?(request: ModelRequest): void;
  /** Never ends by itself: waits for the abort signal. */
  hangs?: boolean;
  /** Counted at the end of the answer. */
  usage?: Usage;
  /** Reported before the first block. */
  cost?: Usage;
  /** Ends without a stop reason. */
  ends?: boolean;
};

export const rules: ModelRules = {
  ...plainRules,
  windowTokens: 100_000,
  caches: true,
  cacheMinimumTokens: 1_024,
  charsPerToken: { prose: 4, code: 4, result: 4 },
};

/** A model with scripted answers; it fails when it is called more often than that. */
export class ScriptedModel implements ModelClient {
  readonly label = "scripted";
  readonly requests: ModelRequest[] = [];
  readonly #script: Scripted[];

  constructor(...script: Scripted[]) {
    this.#script = script;
  }

  get left(): number {
    return this.#script.length;
  }

  models(): Promise<string[]> {
    return Promise.resolve(["scripted"]);
  }

  /** Answers asynchronously, like a server. */
  async rules(model: string): Promise<ModelRules> {
    await Bun.sleep(0);
    return { ...rules, model };
  }

  async *stream(request: ModelRequest, signal: AbortSignal): AsyncGenerator<ModelEvent, void> {
    this.requests.push(request);
    const answer = this.#script.shift();
    if (!answer) throw new Error("The script of the model has run dry.");
    answer.before?.(request);
    if (answer.cost) yield { type: "usage", usage: answer.cost };
    const blocks = answer.blocks ?? [];
    for (const [index, block] of blocks.entries()) {
      if (block.type === "text") yield { type: "delta", index, kind: "text", text: block.text };
      yield { type: "block", index, block };
    }
    if (answer.torn) {
      const kind = answer.tornKind ?? "text";
      yield { type: "delta", index: blocks.length, kind, text: answer.torn };
    }
    if (answer.hangs) {
      if (!signal.aborted)
        await new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve()));
      throw new Error("aborted");
    }
    if (answer.error) throw answer.error;
    if (answer.ends) return;
    const stop =
      answer.stop ?? (blocks.some((block) => block.type === "tool_use") ? "tool_use" : "end_turn");
    const usage = answer.usage ?? { input: 100, cacheRead: 0, cacheWrite: 0, output: 10 };
    yield { type: "stop", stop, usage, ...(answer.detail ? { detail: answer.detail } : {}) };
  }
}

/** A toolbox with scripted calls; tools whose names start with "read" are read-only. */
export class ScriptedToolbox implements Toolbox {
  readonly definitions = [];
  mode: PermissionMode = "default";
  whyNoAuto: () => Promise<string | null> = async () => null;
  readonly ran: string[] = [];
  readonly allowed: string[] = [];
  readonly #run: (call: ToolUseBlock, options: CallOptions) => Promise<string>;

  constructor(
    run: (call: ToolUseBlock, options: CallOptions) => Promise<string> = async (call) =>
      `ran ${call.name}`,
  ) {
    this.#run = run;
  }

  async review(call: ToolUseBlock): Promise<Review> {
    if (call.name.startsWith("read")) return { verdict: "allow", readOnly: true };
    if (call.name.startsWith("forbidden"))
      return { verdict: "refuse", reason: "Not in plan mode." };
    if (call.name.startsWith("free") || this.allowed.includes(call.name))
      return { verdict: "allow", readOnly: false };
    const rule = call.name === "always" ? null : call.name;
    const ask = { title: call.name, detail: "", detailKind: "text", rule } as const;
    return { verdict: "ask", readOnly: false, ask };
  }

  /** The rules that each turn began with. */
  readonly turns: (readonly string[])[] = [];

  fullInput({ input }: ToolUseBlock): ToolUseBlock["input"] {
    return input;
  }

  allowForTurn(rules: readonly string[]): void {
    this.turns.push(rules);
  }

  allowForSession(call: ToolUseBlock, _?: { save: boolean }): void {
    this.allowed.push(call.name);
  }

  async run(call: ToolUseBlock, options: CallOptions): Promise<ToolOutcome> {
    this.ran.push(call.id);
    const text = await this.#run(call, options);
    return { content: [{ type: "text", text }], bytes: text.length, lines: 1 };
  }

  close(): Promise<void> {
    return Promise.resolve();
  }
}

export const text = (words: string): AssistantBlock => ({ type: "text", text: words });

export const use = (id: string, name: string): AssistantBlock => ({
  type: "tool_use",
  id,
  name,
  input: {},
});

/** An answer of these words. */
export const says = (words: string): Scripted => ({ blocks: [text(words)] });

/** An answer that is a call without input. */
export const uses = (id: string, name: string): Scripted => ({ blocks: [use(id, name)] });
