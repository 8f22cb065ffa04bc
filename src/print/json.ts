import { jsonToTerminal } from "../protocol/to-terminal.ts";
import type { Shape } from "./shape.ts";
import { streamJsonShape, type StreamJsonOptions } from "./stream-json.ts";

type JsonOptions = Omit<StreamJsonOptions, "print" | "partialMessages" | "replayUserMessages"> & {
  out(text: string): void;
  /** Every message in a list, not only the result. */
  verbose: boolean;
};

/** `--output-format json`: the result as one object. */
export function jsonShape({ out, verbose, ...options }: JsonOptions): Shape {
  const messages: object[] = [];
  const shape = streamJsonShape({
    ...options,
    print: (message) => void messages.push(message),
    partialMessages: false,
    replayUserMessages: false,
  });
  return {
    begin: (job) => shape.begin(job),
    event: (event) => shape.event(event),
    end(report) {
      shape.end(report);
      out(`${jsonToTerminal(JSON.stringify(verbose ? messages : messages.at(-1)))}\n`);
    },
  };
}
