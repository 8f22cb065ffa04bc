/** The tool Script: runs a program of the model's that calls tools; its output is the result. */

import { z } from "zod";
import { counted } from "../../base/format.ts";
import { blockText, type ToolInput } from "../../protocol/block.ts";
import type { ToolDefinition } from "../../protocol/model.ts";
import {
  textOutput,
  ToolError,
  touchesNothing,
  type InnerCall,
  type Tool,
  type ToolOutcome,
  type ToolRun,
} from "../tool.ts";
import { maxScriptBytes } from "../files/read-file.ts";
import { CellError, openCell, type Cell, type CellMessage } from "./cell.ts";
import { describeFunctions, isScriptable, listFunctions } from "./signatures.ts";
import description from "./script.md" with { type: "text" };

const schema = z.strictObject({
  code: z.string().min(1),
  description: z.string().optional().describe("What it does, in five to ten words."),
});

/** Milliseconds that a script may take beside its calls. */
const usualMs = 20_000;
const progressMs = 100;
const maxCalls = 200;
const maxPrintedChars = 1_000_000;

const maxAnsweredChars = 64_000_000;

/** `cell`: the confining program; `tools`: the tools offered to the model. */
export function scriptTool(
  cell: string,
  tools: () => readonly ToolDefinition[],
  ownMs = usualMs,
): Tool<z.infer<typeof schema>> {
  return {
    name: "Script",
    description,
    get choices() {
      return describeFunctions(tools());
    },
    schema,
    readOnly: false,
    // Each call is judged separately.
    intent: async ({ code, description = "Run a script" }) => touchesNothing(description, code),
    async run({ code }, run) {
      const script = { code, functions: listFunctions(tools()) };
      const opened = await openCell(cell, script);
      return textOutput(await new RunningScript(opened, run, ownMs).output());
    },
  };
}

class RunningScript {
  readonly #cell: Cell;
  readonly #run: ToolRun;
  readonly #stop = new AbortController();
  readonly #open = new Set<Promise<void>>();
  #calls = 0;
  #answeredChars = 0;
  #progressAt = -progressMs;
  #printed = "";
  #ownMs: number;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #since = 0;

  constructor(cell: Cell, run: ToolRun, ownMs: number) {
    this.#cell = cell;
    this.#run = run;
    this.#ownMs = ownMs;
  }

  /** Throws `ToolError` with its output and the failure. */
  async output(): Promise<string> {
    const { signal } = this.#run;
    const stopped = () => this.#cell.end("It was stopped.");
    signal.addEventListener("abort", stopped);
    if (signal.aborted) stopped();
    this.#count();
    let failure: string | null = null;
    try {
      for await (const message of this.#cell.messages()) failure = this.#take(message) ?? failure;
    } catch (error) {
      if (!(error instanceof CellError)) throw error;
      failure = error.message;
    } finally {
      clearTimeout(this.#timer);
      signal.removeEventListener("abort", stopped);
      // A call that the script did not wait for ends with it.
      this.#stop.abort();
      await Promise.all(this.#open);
    }
    if (signal.aborted) failure = "It was stopped.";
    if (failure === null) return this.#printed.trimEnd() || "(The script printed nothing.)";
    throw new ToolError(
      `${this.#printed}[The script failed after ${counted(this.#calls, "call")}: ${failure}]`,
    );
  }

  /** Returns why the script failed, if it says so. */
  #take(message: CellMessage): string | null {
    if ("failed" in message) return message.failed;
    if ("print" in message) {
      this.#printed += `${message.print}\n`;
      this.#progress();
      if (this.#printed.length > maxPrintedChars)
        this.#cell.end("It printed more than 1,000,000 characters.");
    }
    if ("call" in message) {
      const answering = this.#answer(message).finally(() => {
        this.#open.delete(answering);
        this.#count();
      });
      this.#open.add(answering);
      this.#count();
    }
    return null;
  }

  #progress(): void {
    const now = performance.now();
    if (now - this.#progressAt < progressMs) return;
    this.#progressAt = now;
    this.#run.progress(this.#printed.slice(-2_000), this.#printed.length);
  }

  async #answer({ call, tool, input }: Extract<CellMessage, { call: number }>): Promise<void> {
    if (this.#calls === maxCalls)
      return this.#cell.end(`It made more than ${maxCalls} calls; do the work in parts.`);
    this.#calls++;
    const reply = await this.#result(tool, input).then(
      (text) => ({ text }),
      (error: unknown) => ({ error: error instanceof Error ? error.message : String(error) }),
    );
    // A script that reads no answer would fill our own memory.
    this.#answeredChars += "text" in reply ? reply.text.length : 0;
    if (this.#answeredChars > maxAnsweredChars)
      return this.#cell.end("The calls of the script returned more than 64 million characters.");
    this.#cell.answer({ call, ...reply });
  }

  async #result(tool: string, input: ToolInput): Promise<string> {
    if (!isScriptable(tool)) throw new ToolError(`A script cannot call ${tool}.`);
    const signal = AbortSignal.any([this.#run.signal, this.#stop.signal]);
    const { content, file, isError } = await this.#call({ tool, input, signal });
    const text = file === undefined ? blockText(content) : await readStart(file);
    if (isError) throw new ToolError(text);
    return text;
  }

  #call(inner: InnerCall): Promise<ToolOutcome> {
    if (this.#run.call) return this.#run.call(inner);
    throw new ToolError("No tool can be called here.");
  }

  /** The time in which no call is open is the script's own. */
  #count(): void {
    clearTimeout(this.#timer);
    const now = performance.now();
    if (this.#timer !== undefined) this.#ownMs -= now - this.#since;
    this.#timer = undefined;
    this.#since = now;
    if (this.#open.size > 0) return;
    const late = () => this.#cell.end("It computed or slept for too long beside its calls.");
    this.#timer = setTimeout(late, Math.max(0, this.#ownMs));
  }
}

const readStart = (file: string): Promise<string> => Bun.file(file).slice(0, maxScriptBytes).text();
