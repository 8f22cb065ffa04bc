/** Processes killed while a log is written. */

import { expect, test } from "bun:test";
import { join } from "node:path";
import { openLog } from "../../src/log/store.ts";
import { blockText } from "../../src/protocol/block.ts";
import { testFolder } from "../folder.ts";

const root = testFolder();
const writer = join(import.meta.dir, "busy-writer.ts");
const rounds = 3;

test("kill -9 during an append loses no acknowledged entry", async () => {
  const file = join(root, "killed.jsonl");
  const acknowledged = new Map<string, string>();
  for (let round = 0; round < rounds; round++) {
    const child = Bun.spawn([process.execPath, writer, file], { stdout: "pipe" });
    const killAfter = 1 + ((round * 37) % 60);
    let text = "";
    for await (const chunk of child.stdout) {
      text += Buffer.from(chunk).toString("utf8");
      if (text.split("\n").length > killAfter + 1) child.kill("SIGKILL");
    }
    await child.exited;
    expect(child.signalCode).toBe("SIGKILL");
    const [opened, ...acks] = text.split("\n").slice(0, -1);
    expect(opened).toMatch(/^opened [01]$/);
    for (const ack of acks) {
      const [id = "", hash = ""] = ack.split(" ");
      expect(acknowledged.has(id)).toBe(false);
      acknowledged.set(id, hash);
    }
  }
  const log = openLog(file);
  expect(log.path).toHaveLength(log.entries.length);
  let lost = 0;
  for (const [id, hash] of acknowledged) {
    const entry = log.get(id);
    const said = entry?.type === "user" ? blockText(entry.content) : "";
    if (Bun.hash(said).toString(36) !== hash) lost++;
  }
  await log.close();
  expect(acknowledged.size).toBeGreaterThan(rounds);
  expect(lost).toBe(0);
});
