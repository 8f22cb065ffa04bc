import { expect, test } from "bun:test";
import { readFileSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { writePrivate } from "../../src/log/export/new-file.ts";
import { testFolder } from "./folder.ts";

test("an export is readable by its owner only, and so are its new folders", async () => {
  const file = join(testFolder(), "a", "b", "export.md");
  await writePrivate(file, "first");
  await writePrivate(file, "second");
  expect(readFileSync(file, "utf8")).toBe("second");
  const mode = (path: string) => statSync(path).mode & 0o777;
  expect([mode(file), mode(dirname(file)), mode(dirname(dirname(file)))]).toEqual([
    0o600, 0o700, 0o700,
  ]);
});
