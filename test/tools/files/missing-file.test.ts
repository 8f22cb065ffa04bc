/** A path that does not exist: files with similar names beside it are suggested. */

import { afterAll, expect, test } from "bun:test";
import { join } from "node:path";
import { leave, room } from "../room.ts";

afterAll(leave);

test.each([
  ["a letter is wrong", "confg.ts", ["config.ts", "other.ts"], ["config.ts"]],
  ["the case differs", "README.MD", ["readme.md", "main.md"], ["readme.md"]],
  ["the extension is another", "a.json", ["a.configuration", "b.yaml"], ["a.configuration"]],
  ["nothing is similar", "config.ts", ["main.rs", "b.txt"], []],
  ["names without a stem are similar only by letters", ".env", [".gitignore", ".envs"], [".envs"]],
  ["it is too different for its length", "main.ts", ["mind.rs"], []],
  [
    "more than three are similar",
    "file5.ts",
    ["file4.ts", "file3.ts", "file5.js", "file2.ts", "file34.ts"],
    ["file5.js", "file2.ts", "file3.ts"],
  ],
])("when %s", async (_, wanted, there, proposed) => {
  const at = await room();
  for (const name of there) at.put(`src/${name}`, "");
  const near = proposed.map((name) => join(at.root, "src", name)).join(" or ");
  expect(await at.say("Read", { file_path: `src/${wanted}` })).toBe(
    `src/${wanted} does not exist.${near && ` Did you mean ${near}?`}`,
  );
});

test("nothing is suggested if the folder is missing, too", async () => {
  const at = await room();
  at.put("src/a.ts", "");
  expect(await at.say("Read", { file_path: "scr/a.ts" })).toBe("scr/a.ts does not exist.");
});
