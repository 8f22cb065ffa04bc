/** The known equivalents of the room `headless`. */

import { all, type Equivalent } from "../equivalent.ts";

export const equivalents: readonly Equivalent[] = [
  ...all("src/headless/headless.ts", "The program ends when the reader is cancelled in any case.", {
    "await channel?.close();": ["channel?.close();"],
  }),
  ...all("src/headless/standard-input.ts", "Only a delay becomes a millisecond longer.", {
    "const firstBytesMs = 3_000;": ["const firstBytesMs = 3001;"],
  }),
];
