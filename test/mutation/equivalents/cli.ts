/** The known equivalents of the room `cli`. */

import { all, type Equivalent } from "../equivalent.ts";

export const equivalents: readonly Equivalent[] = [
  ...all("src/app/interactive.ts", "Only a delay becomes a millisecond longer.", {
    "const afterFirstFrameMs = 300;": ["const afterFirstFrameMs = 301;"],
    "return providerNotices(await detectLocalServers({ timeoutMs: 150 }));": [
      "return providerNotices(await detectLocalServers({ timeoutMs: 151 }));",
    ],
  }),
  ...all(
    "src/app/interactive.ts",
    "A session has either no entry or the several that it begins with.",
    {
      "if (log.path.length > 0) {": ["if (log.path.length > 1) {"],
      'if (log.path.length > 0 || label !== "offline") return [];': [
        'if (log.path.length > 1 || label !== "offline") return [];',
      ],
    },
  ),
  ...all("src/app/interactive.ts", "The events of a closed screen are never read.", {
    "commands.close();": [";"],
  }),
];
