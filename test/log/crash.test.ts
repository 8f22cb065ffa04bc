/** Processes killed and disks filled while a log is written. */

import { expect, test } from "bun:test";
import { statSync } from "node:fs";
import { join } from "node:path";
import { openLog } from "../../src/log/store.ts";
import { blockText } from "../../src/protocol/block.ts";
import { userFact } from "./facts.ts";
import { testFolder } from "../folder.ts";

const root = testFolder();
const writer = join(import.meta.dir, "busy-writer.ts");
const rounds = 5;

const start = (command: string[]) =>
  Bun.spawn(command, { env: { PATH: process.env["PATH"] ?? "" }, stdout: "pipe", stderr: "pipe" });

test("kill -9 during an append loses no acknowledged entry", async () => {
  const file = join(root, "killed.jsonl");
  const acknowledged = new Map<string, string>();
  for (let round = 0; round < rounds; round++) {
    const child = start([process.execPath, writer, file, "1000000"]);
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

test("a full disk is reported in one sentence; acknowledged entries stay, and appending works again later", async () => {
  const file = join(root, "full.jsonl");
  // The shell ignores the signal of the limit, so the write fails as on a full disk.
  const child = start([
    "bash",
    "-c",
    `trap '' XFSZ; ulimit -f 256; exec "$@"`,
    "-",
    process.execPath,
    writer,
    file,
    "1000000",
  ]);
  const [out, err, code] = await Promise.all([
    child.stdout.text(),
    child.stderr.text(),
    child.exited,
  ]);
  expect(code).not.toBe(0);
  expect(err).toContain("cannot be written: the file size limit was reached");
  const acks = out.split("\n").slice(1, -1);
  expect(acks.length).toBeGreaterThan(5);
  const found = openLog(file, { readOnly: true });
  for (const ack of acks) expect(found.get(ack.split(" ")[0] ?? "")).toBeDefined();
  // The limit tore the last line.
  expect(statSync(file).size % 1024).toBe(0);
  expect(found.repairs.join()).toContain("is incomplete");
  const log = openLog(file);
  const next = await log.append(userFact("there is room again"));
  await log.close();
  const again = openLog(file, { readOnly: true });
  expect(again.repairs).toEqual([]);
  expect(again.path.at(-1)).toEqual(next);
});
