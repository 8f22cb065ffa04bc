import type { AgentEvent } from "../protocol/event.ts";
import { jsonToTerminal, toTerminal } from "../protocol/to-terminal.ts";
import type { Shape } from "./print.ts";
import { progressLine } from "./progress.ts";
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
