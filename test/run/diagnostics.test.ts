/** Language servers in a run. */

import { expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { chmod } from "node:fs/promises";
import { join } from "node:path";
import { call, say } from "../fake-api/index.ts";
import { openedRuns, prompt, turn } from "./opened.ts";

/** Edits a file, then continues until the errors are reported, which takes time on a busy machine. */
const runs = openedRuns("diagnostics", {
  responder({ messages }) {
    const calls = messages.filter(({ role }) => role === "assistant").length;
    const content = "fine\nthis is wrong\n";
    if (calls === 0) return { content: [call("Write", { file_path: "a.go", content })] };
    const sent = JSON.stringify(messages);
    const isWaiting = sent.includes("wait for it") && !sent.includes("New errors");
    if (!isWaiting || calls === 100) return say("Done.");
    return { content: [call("Bash", { command: `sleep 0.${calls}` })] };
  },
});

/** One turn where a language server for Go is installed. */
async function write(words: string, ...flags: string[]): Promise<string> {
  const bin = join(runs.base, "bin");
  const server = join(bin, "gopls");
  // A server that finds the key ends, and no error is ever reported.
  await Bun.write(
    server,
    '#!/bin/sh\ntouch written\nenv | grep -q sk-ant && exit 1\nexec bun "$(dirname "$0")/small-server.js" push\n',
  );
  await chmod(server, 0o755);
  const entrypoints = [join(import.meta.dir, "../extensions/diagnostics/small-server.ts")];
  await Bun.build({ entrypoints, outdir: bin, target: "bun" });
  const PATH = `${bin}:${process.env["PATH"]}`;
  const opened = await runs.open(["--permission-mode=bypass", ...flags], [], { env: { PATH } });
  await turn(opened, prompt(words));
  await opened.close();
  const confines = await opened.run.toolbox.hasSandbox();
  expect(existsSync(join(runs.cwd, "a.go"))).toBe(true);
  if (confines) expect(existsSync(join(runs.cwd, "written"))).toBe(false);
  return JSON.stringify(runs.sent()?.messages);
}

test("the model is told of the errors that its edit brought; the server has no key and writes nothing", async () => {
  expect(await write("wait for it", "--trust")).toContain(
    "New errors, reported by gopls:\\na.go:2:1 this is wrong [E1]",
  );
});

test("no language server runs in a folder that is not trusted, or when they are off", async () => {
  for (const flags of [[], ["--trust", "--settings", '{"diagnostics": false}']])
    expect(await write("write it", ...flags)).not.toContain("New errors");
});
