/** The known equivalents of the room `model`. */

import { all, type Equivalent } from "../equivalent.ts";

export const equivalents: readonly Equivalent[] = [
  ...all("src/model/discover-window.ts", "Only a delay becomes a millisecond longer.", {
    "const patienceMs = 2_000;": ["const patienceMs = 2001;"],
  }),
];
