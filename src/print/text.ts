import { toTerminal } from "../protocol/to-terminal.ts";
import { progressLine } from "./progress.ts";
import type { Shape } from "./shape.ts";

/** `--output-format text`: the last answer. Progress goes to `log`. */
export const textShape = (out: (text: string) => void, log: (text: string) => void): Shape => ({
  begin: () => undefined,
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
