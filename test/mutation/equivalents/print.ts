/** The known equivalents of the room `print`. */

import { all, type Equivalent } from "../equivalent.ts";

export const equivalents: readonly Equivalent[] = [
  ...all(
    "src/headless/print/formats.ts",
    "Only memory changes: without verbose, the last one is printed.",
    {
      "if (!verbose) messages.length = 0;": [";"],
    },
  ),
];
