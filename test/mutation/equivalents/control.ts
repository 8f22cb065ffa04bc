/** The known equivalents of the room `control`. */

import { all, type Equivalent } from "../equivalent.ts";

export const equivalents: readonly Equivalent[] = [
  ...all(
    "src/headless/control/channel.ts",
    "Only memory is saved: a settled promise cannot be settled again.",
    {
      "this.#pending.delete(request_id);": [";"],
      "this.#pending.delete(response.request_id);": [";"],
      "this.#pending.clear();": [";"],
    },
  ),
];
