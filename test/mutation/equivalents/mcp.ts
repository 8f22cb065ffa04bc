/** The known equivalents of the room `mcp`. */

import { all, type Equivalent } from "../equivalent.ts";

export const equivalents: readonly Equivalent[] = [
  ...all("src/extensions/mcp/clean.ts", "Only how much space may come before the text changes.", {
    'clean(text.slice(0, chars * 4).replace(/\\s+/g, " "), chars).trim();': [
      'clean(text.slice(0, chars * 5).replace(/\\s+/g, " "), chars).trim();',
    ],
  }),
  ...all("src/extensions/mcp/open-servers.ts", "Only an empty set of servers is also processed.", {
    "Object.keys(settings.mcpServers).length > 0 ||": [
      "Object.keys(settings.mcpServers).length >= 0 ||",
    ],
  }),
  ...all("src/extensions/mcp/stdio-transport.ts", "Only the message of an error is passed on.", {
    'const error = { code: -32_600, message: "Its answer does not follow JSON-RPC." };': [
      'const error = { code: 32_600, message: "Its answer does not follow JSON-RPC." };',
      'const error = { code: -32601, message: "Its answer does not follow JSON-RPC." };',
    ],
  }),
  ...all(
    "src/extensions/mcp/stdio-transport.ts",
    "Only the longest message becomes a byte shorter.",
    {
      "#bytes = 0;": ["#bytes = 1;"],
    },
  ),
  ...all("src/extensions/mcp/stdio-transport.ts", "Only a delay becomes a millisecond longer.", {
    "const graceMs = 1_000;": ["const graceMs = 1001;"],
  }),
];
