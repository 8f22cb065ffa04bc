import { expect, test } from "bun:test";
import { isAbsolute, relative, sep } from "node:path";
import fc from "../properties.ts";
import { wayBelow } from "../../src/tools/workspace.ts";

const part = fc.constantFrom("a", "b", "ab", ".", "..", "", ".a", "a.", "..a", "a..", "…", "\\");
const path = fc.array(part, { maxLength: 5 }).map((parts) => `/${parts.join("/")}`);

test("wayBelow equals path.relative, however the paths are written", () => {
  fc.assert(
    fc.property(path, path, (folder, file) => {
      const way = relative(folder, file);
      const isOutside = way === ".." || way.startsWith(`..${sep}`) || isAbsolute(way);
      expect(wayBelow(folder, file)).toBe(isOutside ? null : way);
    }),
    { numRuns: 2_000 },
  );
});
