/** The known equivalents of the room `protocol`. */

import { all, type Equivalent } from "../equivalent.ts";

export const equivalents: readonly Equivalent[] = [
  ...all("src/protocol/by-entry.ts", "Only which numbers share a column changes.", {
    "#count = 0;": ["#count = 1;"],
  }),
  ...all("src/protocol/clip.ts", "A text that fits is returned whole in any case.", {
    "return text.length <= chars ? text : text.slice(0, boundaryBefore(text, Math.max(0, chars)));":
      [
        "return text.length < chars ? text : text.slice(0, boundaryBefore(text, Math.max(0, chars)));",
      ],
    "if (text.length <= chars) return text;": ["if (text.length < chars) return text;"],
  }),
  ...all(
    "src/protocol/clip.ts",
    "The text begins with a character that was split, so the character has at least two units.",
    {
      "return graphemes(text.slice(at, at + 2 * longestGrapheme)).containing(0)?.segment.length ?? 0;":
        [
          "return graphemes(text.slice(at, at + 2 * longestGrapheme)).containing(1)?.segment.length ?? 0;",
        ],
    },
  ),
  ...all(
    "src/protocol/clip.ts",
    "U+0080 is a control character, which never combines with another.",
    {
      "return before < 0x80 && after < 0x80 && !(before === 0x0d && after === 0x0a);": [
        "return before <= 0x80 && after < 0x80 && !(before === 0x0d && after === 0x0a);",
        "return before < 129 && after < 0x80 && !(before === 0x0d && after === 0x0a);",
        "return before < 0x80 && after <= 0x80 && !(before === 0x0d && after === 0x0a);",
        "return before < 0x80 && after < 129 && !(before === 0x0d && after === 0x0a);",
      ],
    },
  ),
  ...all("src/protocol/edit-distance.ts", "A row has a number at every index that is read.", {
    "let cost = Math.min((row[j - 1] ?? 0) + 1, (last[j] ?? 0) + 1, (last[j - 1] ?? 0) + change);":
      [
        "let cost = Math.min((row[j - 1] ?? 0) + 1, (last[j] ?? 0) + 1, (last[j - 1] ?? 1) + change);",
      ],
  }),
  ...all("src/protocol/guards.ts", "Only empty levels are visited as well.", {
    "for (let depth = 0; depth < most && level.length > 0; depth += 1)": [
      "for (let depth = 0; depth < most && level.length >= 0; depth += 1)",
    ],
  }),
];
