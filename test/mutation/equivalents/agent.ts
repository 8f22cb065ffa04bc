/** The known equivalents of the room `agent`. */

import { all, type Equivalent } from "../equivalent.ts";

export const equivalents: readonly Equivalent[] = [
  ...all("src/agent/approvals.ts", "Only memory: nobody waits for a second answer.", {
    "this.#asks.delete(id);": [";"],
  }),
  ...all("src/agent/compaction/throttle.ts", "There is nothing beyond the last row.", {
    "for (let row = path.length - 1; row >= 0; row--) {": [
      "for (let row = path.length + 1; row >= 0; row--) {",
    ],
  }),
  ...all("src/agent/repair.ts", "It only searches for images that do not exist.", {
    "false,": ["true,"],
  }),
  ...all("src/agent/repair.ts", "An answer contains no images.", {
    "const isNew = large.some(({ row }) => row > lastAnswer(view));": [
      "const isNew = large.some(({ row }) => row >= lastAnswer(view));",
    ],
    "const unanswered = images.filter(({ row }) => row > lastAnswer(view));": [
      "const unanswered = images.filter(({ row }) => row >= lastAnswer(view));",
    ],
  }),
  ...all("src/agent/repair.ts", "An image of unknown size is not larger than any limit.", {
    "return size ? Math.max(size.width, size.height) : 0;": [
      "return size ? Math.max(size.width, size.height) : 1;",
    ],
  }),
  ...all("src/agent/rewind.ts", "The walk ended at an entry of the path.", {
    "const shared = id === null ? -1 : (positions.get(id) ?? -1);": [
      "const shared = id === null ? -1 : (positions.get(id) ?? -2);",
    ],
  }),
  ...all("src/agent/slash-commands.ts", "Only the first part is used.", {
    "title: `${prompt.split(/\\s/, 1)[0]} wants to use these tools without asking`,": [
      "title: `${prompt.split(/\\s/, 2)[0]} wants to use these tools without asking`,",
    ],
  }),
  ...all("src/agent/subagents/run-subagent.ts", "Only the first part is used.", {
    'return typeof words === "string" ? (words.split("\\n", 1)[0] ?? "") : "";': [
      'return typeof words === "string" ? (words.split("\\n", 2)[0] ?? "") : "";',
    ],
  }),
  ...all("src/agent/tool-calls.ts", "Only the first part is used.", {
    'const line = detail.split("\\n", 1)[0] ?? "";': [
      'const line = detail.split("\\n", 2)[0] ?? "";',
    ],
  }),
  ...all("src/agent/turn-boundaries.ts", "No request has only one token.", {
    "const counted = sizes && sizes.tokens > 0 ? sizes.tokens : null;": [
      "const counted = sizes && sizes.tokens > 1 ? sizes.tokens : null;",
    ],
  }),
];
