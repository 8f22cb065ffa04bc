/** The known equivalents of the room `run`. */

import { all, type Equivalent } from "../equivalent.ts";

export const equivalents: readonly Equivalent[] = [
  ...all("src/run/answering.ts", "No id is used again.", { "open.delete(event.id);": [";"] }),
  ...all("src/run/choose-log.ts", "Nothing waits for a log that was only read.", {
    "await log.close();": ["log.close();"],
  }),
  ...all("src/run/run.ts", "Nothing waits for an index, which can be rebuilt at any time.", {
    "await archive.close();": ["archive.close();"],
  }),
];
