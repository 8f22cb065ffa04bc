/** A run as text with a line of progress for each event, as events, and as JSON. */

import { findSubject } from "../../protocol/block.ts";
import { clip } from "../../base/clip.ts";
import type { Entry } from "../../protocol/entry.ts";
import type { AgentEvent } from "../../protocol/event.ts";
import { jsonToTerminal, toTerminal } from "../../base/escape-terminal.ts";
import type { Shape } from "./print.ts";
import { type StreamJsonOptions, streamJsonShape } from "./stream-json.ts";

/** `--output-format text`: the last answer. Progress goes to `log`. */
export const textShape = (out: (text: string) => void, log: (text: string) => void): Shape => ({
  event(event) {
    const line = progressLine(event);
    if (line !== null) log(`${toTerminal(line)}\n`);
  },
  end({ end, answer, structured }) {
    const line = progressLine({ type: "idle", ...end });
    if (line !== null) log(`${toTerminal(line)}\n`);
    const shown = structured === undefined ? answer : JSON.stringify(structured);
    if (shown !== "") out(`${toTerminal(shown)}\n`);
  },
});

/** `--output-format events`: every event of the agent, one JSON object per line. */
export const eventsShape = (out: (text: string) => void): Shape => {
  const print = (event: AgentEvent): void => out(`${jsonToTerminal(JSON.stringify(event))}\n`);
  return {
    event: print,
    end: ({ end }) => print({ type: "idle", ...end }),
  };
};

type JsonOptions = Omit<StreamJsonOptions, "print" | "partialMessages" | "replayUserMessages"> & {
  out(text: string): void;
  /** Every message in a list, not only the result. */
  verbose: boolean;
};

/** `--output-format json`: the result as one object. */
export function jsonShape({ out, verbose, ...options }: JsonOptions): Shape {
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
      out(`${jsonToTerminal(JSON.stringify(verbose ? messages : messages.at(-1)))}\n`);
    },
  };
}

/** One line about an event for standard error, without control characters; null: nothing to say. */
export function progressLine(event: AgentEvent): string | null {
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
