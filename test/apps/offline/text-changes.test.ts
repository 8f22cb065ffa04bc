/** Edits of lines, as replacements that the edit tool takes: each text must stand there once. */

import { expect, test } from "bun:test";
import fc from "fast-check";
import {
  appendAfter,
  deleteLine,
  renameWord,
  type Changes,
} from "../../../src/apps/offline/text-changes.ts";

const numbered = (lines: readonly string[]) => lines.map((text, at) => ({ number: at + 1, text }));

/** As the edit tool does it; null: nothing was changed. */
function apply(text: string, changes: Changes): string | null {
  if ("why" in changes) return null;
  return changes.edits.reduce((now, { old_text, new_text, replace_all }) => {
    const parts = now.split(old_text);
    if (replace_all !== true && parts.length !== 2) throw new Error(`not unique: ${old_text}`);
    return parts.join(new_text);
  }, text);
}

const line = fc.constantFrom("}", "", "a", "b = a", "  }", "return ab;", "a(b)");
const lines = fc.array(line, { minLength: 1, maxLength: 12 });

test("appending adds a last line and changes nothing else", () => {
  fc.assert(
    fc.property(lines, (before) => {
      const after = apply(`${before.join("\n")}\n`, appendAfter(numbered(before), "new", true));
      if (after === null) expect(before.join("").trim()).toBe("");
      else expect(after).toBe(`${[...before, "new"].join("\n")}\n`);
    }),
  );
});

test("deleting a line takes that line whole, or says why not", () => {
  fc.assert(
    fc.property(lines, fc.constantFrom("a", "}", "b = a"), (before, wanted) => {
      const places = before.filter((one) => one.trim() === wanted);
      const after = apply(`${before.join("\n")}\n`, deleteLine(numbered(before), wanted));
      if (places.length !== 1) expect(after).toBeNull();
      else if (before.length > 1)
        expect(after).toBe(`${before.filter((one) => one.trim() !== wanted).join("\n")}\n`);
    }),
  );
});

test("a rename leaves longer words alone", () => {
  const text = "const id = 1;\nconst width = id + idle(id);\nvoid id;\n";
  const changes = renameWord(numbered(text.trimEnd().split("\n")), "id", "key");
  expect(apply(text, changes)).toBe("const key = 1;\nconst width = key + idle(key);\nvoid key;\n");
  expect(renameWord(numbered(["width"]), "id", "key")).toHaveProperty("why");
});
