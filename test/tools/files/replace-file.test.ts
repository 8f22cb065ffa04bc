import { afterAll, expect, test } from "bun:test";
import { lstatSync, readFileSync, readdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { replaceFile } from "../../../src/tools/files/judged-file.ts";
import { openWorkspace } from "../../../src/tools/workspace.ts";
import { leave, temporaryFolder } from "../room.ts";

afterAll(leave);

test("a file that became a link after it was resolved is not replaced", async () => {
  const root = temporaryFolder();
  const results = join(root, "results");
  const workspace = await openWorkspace({ workspace: root, added: [], results, home: "/h" });
  writeFileSync(join(root, "other.txt"), "other");
  const target = await workspace.locate("a.txt");
  symlinkSync("other.txt", join(root, "a.txt"));
  await expect(replaceFile(target, Buffer.from("new"))).rejects.toThrow(
    "a.txt is not an ordinary file.",
  );
  expect(lstatSync(join(root, "a.txt")).isSymbolicLink()).toBe(true);
  expect(readFileSync(join(root, "other.txt"), "utf8")).toBe("other");
  expect(readdirSync(root).toSorted()).toEqual(["a.txt", "other.txt"]);
});
