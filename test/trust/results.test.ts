/** Results of other sessions and projects are not read without approval. */

import { afterAll, expect, test } from "bun:test";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { leave, room } from "../tools/room.ts";

afterAll(leave);

test("results of other sessions prompt, own ones do not", async () => {
  const at = await room({ sandbox: "off" });
  mkdirSync(at.results, { recursive: true });
  const other = join(at.results, "1-bash-other.txt");
  writeFileSync(other, "SECRET\n");
  for (const [tool, input] of [
    ["Read", { file_path: other }],
    ["Glob", { pattern: "*", path: at.results }],
    ["Grep", { pattern: "SECRET", path: at.results }],
    ["Grep", { pattern: "SECRET", path: other }],
    ["Bash", { command: `cat ${other}` }],
    ["Bash", { command: `ls ${at.results}` }],
    ["Bash", { command: `head ${at.results}/../tool-results/1-bash-other.txt` }],
  ] as const) {
    expect(await at.verdict(tool, input)).toBe("ask");
  }
  const { file = "" } = await at.judged("Bash", { command: "seq 1 20000" });
  expect(file).not.toBe("");
  expect(await at.verdict("Bash", { command: `tail -n 1 ${file}` })).toBe("allow");
});
