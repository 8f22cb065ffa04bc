import type { AgentEvent } from "../protocol/event.ts";
import { jsonToTerminal } from "../protocol/to-terminal.ts";
import type { Shape } from "./shape.ts";

/** `--output-format events`: every event of the agent, one JSON object per line. */
export const eventsShape = (out: (text: string) => void): Shape => {
  const print = (event: AgentEvent): void => out(`${jsonToTerminal(JSON.stringify(event))}\n`);
  return {
    begin: () => undefined,
    event: print,
    end: ({ end }) => print({ type: "idle", ...end }),
  };
};
