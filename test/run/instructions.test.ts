/** Instructions and notes, as the real program sends them to the strict fake API. */

import { expect, test } from "bun:test";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { call, say, toBlocks } from "../fake-api/index.ts";
import type { Sandbox } from "../bin.ts";
import { realProgram } from "./real-program.ts";

const { api, env, boxWith } = realProgram("instructions");
let calls = 0;
const reads = (path: string) => [call("Read", { file_path: path }, `t${++calls}`)];

/** The texts of the latest request, one string per block. */
const sent = (): string[] =>
  (api.bodies.at(-1)?.messages ?? [])
    .flatMap(toBlocks)
    .map((block) => (block.type === "text" ? block.text : ""));

test("imports are sent after the file that names them; those from outside are left out with a note", async () => {
  const box = await boxWith({
    "home/elsewhere.md": "from outside",
    "project/CLAUDE.md": "Read @docs/style.md and @~/elsewhere.md",
    "project/docs/style.md": "Use tabs.",
  });
  api.next(say("ok"));
  const { err } = await box.run(["-p", "--trust", "go"], { env });
  const texts = sent();
  const place = (words: string) => texts.findIndex((text) => text.includes(words));
  expect(place("Use tabs.")).toBe(place("Read @docs/style.md") + 1);
  expect(place("from outside")).toBe(-1);
  expect(err).toContain("denied, nobody to ask: Import");
  const log = await new Response((await logs(box))[0]).text();
  expect(log).toContain("Not imported into the instructions");
});

const logs = async (box: Sandbox) =>
  (await Array.fromAsync(new Bun.Glob("sessions/*/*.jsonl").scan(box.home))).map((file) =>
    Bun.file(join(box.home, file)),
  );

test("instructions of a subfolder are appended once, when a file in it is first read", async () => {
  const box = await boxWith({
    "project/web/AGENTS.md": "Pages are in French.",
    "project/web/page.txt": "bonjour",
    "project/web/more.txt": "encore",
  });
  api.next(reads("web/page.txt"), reads("web/more.txt"), say("ok"));
  await box.run(["-p", "--trust", "go"], { env });
  expect(sent().filter((text) => text.includes("Pages are in French."))).toHaveLength(1);
  api.next(reads("web/page.txt"), say("ok"));
  await box.run(["-p", "go"], { env });
  expect(sent().join()).not.toContain("French");
});

test("notes are sent at the start of every session of the folder", async () => {
  const box = await boxWith({});
  const first = api.bodies.length;
  api.next(say("ok"));
  await box.run(["-p", "go"], { env });
  const folder = (
    await Array.fromAsync(new Bun.Glob("sessions/*/").scan({ cwd: box.home, onlyFiles: false }))
  )[0];
  const name = folder?.split("/")[1];
  await mkdir(join(box.home, "memory"));
  await Bun.write(join(box.home, "memory", `${name}.md`), "- use tabs\n");
  await Bun.write(join(box.home, "memory", "everywhere.md"), "- be brief\n");
  api.next(say("ok"));
  await box.run(["-p", "go"], { env });
  expect(sent().join()).toMatch(/- be brief[\s\S]*- use tabs/);
  expect(api.bodies.length).toBe(first + 2);
});

test("the user's own instructions and rules are sent, unless only the project's were asked for", async () => {
  const box = await boxWith({
    "home/.claude/CLAUDE.md": "Write tests first.",
    "home/.claude/rules/tone.md": "Be brief.",
    "project/AGENTS.md": "Use tabs.",
  });
  const own = ["Write tests first.", "Be brief."];
  api.next(say("ok"));
  await box.run(["-p", "--trust", "go"], { env });
  for (const words of [...own, "Use tabs."]) expect(sent().join()).toContain(words);
  api.next(say("ok"));
  await box.run(["-p", "--trust", "--setting-sources", "project", "go"], { env });
  expect(sent().join()).toContain("Use tabs.");
  for (const words of own) expect(sent().join()).not.toContain(words);
});

test("a rule with paths is appended once, when such a file is first read, in a trusted folder", async () => {
  const box = await boxWith({
    "project/.claude/rules/web.md": '---\npaths: ["web/**"]\n---\nPages are in French.',
    "project/web/page.txt": "bonjour",
  });
  api.next(reads("web/page.txt"), reads("web/page.txt"), say("ok"));
  await box.run(["-p", "--trust", "go"], { env });
  expect(sent().filter((text) => text.includes("Pages are in French."))).toHaveLength(1);
  expect(sent().join()).not.toContain("paths:");
  api.next(reads("web/page.txt"), say("ok"));
  const { err } = await box.run(["-p", "go"], { env });
  expect(sent().join()).not.toContain("French");
  expect(err).toContain(".claude/rules");
});
