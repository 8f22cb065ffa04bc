/** A newcomer follows the manual: the first start, and what it says to type in a shell. */

import { afterAll, expect, test } from "bun:test";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { runInProcess } from "../in-process.ts";
import { idle, program } from "./program.ts";

const topic = (name: string): Promise<string> =>
  Bun.file(join(import.meta.dir, `../../src/docs/${name}.md`)).text();
const on = await program("walk");
afterAll(on.remove);

test("the first start: a question about trust, then answers, a shell, commands and files", async () => {
  await Bun.write(join(on.folder, "README.md"), "# Harbour\n\nKeeps track of ships.\n");
  await Bun.write(join(on.folder, "package.json"), '{"name":"harbour","scripts":{"test":"true"}}');
  await Bun.write(join(on.folder, "src", "ship.ts"), "export const ship = 1;\n");
  const pty = await on.open({ isTrusted: false, wanted: "trust", rows: 32 });
  await pty.waitFor("❯ No, continue without them");
  await pty.type("y");
  await pty.waitFor((now) => idle.test(now) && now.includes("Try"));

  for (const [question, answer] of [
    ["what is this project?", /Keeps track of ships|Harbour/i],
    ["list the files", /files here/],
  ] as const) {
    await pty.send(
      question,
      (now) => idle.test(now) && answer.test(now) && now.includes(`❯ ${question}`),
    );
  }
  await pty.send(
    "!echo from the shell",
    (now) => now.includes("│ from the shell") && idle.test(now),
  );
  await pty.type("/sta");
  await pty.waitFor(/\/status +folder/);
  await pty.hit("ctrl+u", idle);
  await pty.type("@shi");
  await pty.waitFor("src/ship.ts");
  await pty.hit("ctrl+u", idle);

  await pty.send("/init", "/init needs a language model");
  await pty.type("/exit\r");
  expect(await pty.exited).toBe(0);
});

/** The lines of a topic's first shell block, without their comments. */
async function shellLines(name: string): Promise<string[]> {
  const [, block = ""] = /```sh\n([\s\S]*?)```/.exec(await topic(name)) ?? [];
  return block
    .split("\n")
    .map((line) => line.replace(/ {2,}#.*$/, "").trim())
    .filter((line) => line !== "");
}

test("what the manual says to type in a shell works", async () => {
  await Bun.$`git init --quiet`.cwd(on.folder);
  // What a shell gives the program: its arguments, then its input.
  const given = `#!/bin/sh\nprintf '%s\\0' "$@"; printf '\\001'; cat\n`;
  await writeFile(join(on.root, "bin/mini-claude"), given, { mode: 0o755 });
  const run = async (line: string): Promise<string> => {
    const [words = "", stdin = ""] = (
      await Bun.$`sh -c ${line} < /dev/null`.cwd(on.folder).env(on.env).text()
    ).split("\u0001");
    const place = { env: on.env, project: on.folder };
    const { code, out, err } = await runInProcess(place, words.split("\0").slice(0, -1), { stdin });
    expect([line, code, err.slice(-300)]).toEqual([line, 0, err.slice(-300)]);
    return out;
  };
  for (const line of await shellLines("headless")) expect(await run(line)).not.toBe("");
  const name = /^\S+/.exec(await run("mini-claude sessions list"))?.[0] ?? "";
  for (const line of await shellLines("sessions")) {
    // Importing, and answering a session that waits, have separate tests.
    if (/^mini-claude (?:import|sessions answer)/.test(line)) continue;
    const isScreen = /--(?:continue|resume)/.test(line);
    await run(line.replace("20261120-2230", name) + (isScreen ? ' -p "hello"' : ""));
  }
  // To connect to these servers takes a network.
  for (const line of await shellLines("mcp"))
    if (!line.includes("mcp list")) expect(await run(line)).toContain("Added ");
});
