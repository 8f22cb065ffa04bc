/** Prints a run: as text with a progress line for each event, as events, as JSON, or as Claude Code's messages. */

import { findSubject } from "../../protocol/block.ts";
import { clip } from "../../base/clip.ts";
import type { Entry } from "../../protocol/entry.ts";
import type { AgentEvent } from "../../protocol/event.ts";
import type { ModelRules } from "../../protocol/model.ts";
import type { RunningSubagent } from "../../protocol/subagent-definition.ts";
import { jsonToTerminal, toTerminal } from "../../base/escape-terminal.ts";
import { type PrintOptions, printRun } from "./print.ts";
import { RunStats, type Shape } from "./run-stats.ts";
import { type StreamJsonOptions, streamJsonShape } from "./stream-json.ts";

type PrinterOptions = Omit<StreamJsonOptions, "print"> & {
  output: "text" | "events" | "json" | "stream-json";
  /** Standard output. */
  out(text: string): void;
  /** Standard error. */
  log(text: string): void;
  /** `json`: every message in a list, not only the result. */
  verbose: boolean;
  /** The model at the start. */
  model: string;
  /** Prices and limits of a model. */
  rulesOf(model: string): Promise<ModelRules>;
};

export function createPrinter(options: PrinterOptions) {
  const shape = shapeFor(options);
  const stats = new RunStats(options.model, options.rulesOf);
  return {
    run: (run: Omit<PrintOptions, "shape" | "stats">): Promise<number> =>
      printRun({ ...run, shape, stats }),
    /** Something happened in a subagent. */
    nested(subagent: RunningSubagent, event: AgentEvent): void {
      stats.addOfSubagent(event);
      shape.nested?.(subagent, event);
    },
  };
}

function shapeFor({ output, out, log, verbose, ...options }: PrinterOptions): Shape {
  const print = (json: unknown): void => out(`${jsonToTerminal(JSON.stringify(json))}\n`);
  switch (output) {
    case "text":
      return textShape(out, log);
    case "events":
      return { event: print, end: ({ end }) => print({ type: "idle", ...end }) };
    case "json":
      return jsonShape(options, print, verbose);
    case "stream-json":
      return streamJsonShape({ ...options, print });
    default:
      return output satisfies never;
  }
}

/** The last answer, and progress. */
function textShape(out: (text: string) => void, log: (text: string) => void): Shape {
  const tell = (event: AgentEvent): void => {
    const line = progressLine(event);
    if (line !== null) log(`${toTerminal(line)}\n`);
  };
  return {
    event: tell,
    end({ end, answer, structured }) {
      tell({ type: "idle", ...end });
      const shown = structured === undefined ? answer : JSON.stringify(structured);
      if (shown !== "") out(`${toTerminal(shown)}\n`);
    },
  };
}

/** The result as one object, or all messages. */
function jsonShape(
  options: Omit<StreamJsonOptions, "print">,
  print: (json: unknown) => void,
  verbose: boolean,
): Shape {
  const messages: object[] = [];
  const { nested: _, ...shape } = streamJsonShape({
    ...options,
    print(message) {
      if (!verbose) messages.length = 0;
      messages.push(message);
    },
    partialMessages: false,
    replayUserMessages: false,
  });
  return {
    ...shape,
    end(report) {
      shape.end(report);
      print(verbose ? messages : messages.at(-1));
    },
  };
}

/** One line about an event for standard error, without control characters; null: nothing to say. */
function progressLine(event: AgentEvent): string | null {
  switch (event.type) {
    case "entry":
      return entryLine(event.entry);
    case "ask":
      return `denied, nobody to ask: ${plain(event.ask.title)}`;
    case "retry":
      return `retry ${event.attempt} of ${event.of} in ${Math.round(event.waitMs / 1000)} s: ${plain(event.reason)}`;
    case "idle":
      // Advice comes last.
      return event.message === undefined ? null : plain(event.message, 2_000);
    default:
      return null;
  }
}

function entryLine(entry: Entry): string | null {
  switch (entry.type) {
    case "assistant": {
      const calls = entry.content.flatMap((block) =>
        block.type === "tool_use"
          ? [
              plain(
                `${block.name} ${findSubject(block.input)?.text ?? JSON.stringify(block.input)}`,
              ),
            ]
          : [],
      );
      return calls.length === 0 ? null : calls.join("\n");
    }
    case "result":
      return entry.isError ? `${plain(entry.tool)} failed` : null;
    case "note":
      return entry.kind === "warning" ? plain(entry.text, 2_000) : null;
    case "cut":
      return `compacted (${entry.tier}): ${entry.price.usedBefore} -> ${entry.price.usedAfter} tokens, ${plain(entry.reason)}`;
    default:
      return null;
  }
}

const maxChars = 200;

/** Without control characters, and short. */
const plain = (text: string, chars = maxChars): string =>
  clip(text.replace(/[\p{Cc}\p{Bidi_Control}]+/gu, " "), chars);
