/** The known equivalents of the room `disk`. */

import { all, type Equivalent } from "../equivalent.ts";

export const equivalents: readonly Equivalent[] = [
  ...all(
    "src/base/regular-file.ts",
    "Matters only if the file is replaced between the check and the open.",
    { "refuseUnlessRegular(stat);": [";"], "await handle.close();": [";"] },
  ),
];
