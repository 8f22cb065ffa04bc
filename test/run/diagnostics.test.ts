/** Language servers with the real program, against the strict fake API. */

import { afterAll, expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { chmod } from "node:fs/promises";
import { join } from "node:path";
import { sandbox, type Sandbox } from "../bin.ts";
import { inProcess } from "../in-process.ts";
import { call, say, startFakeApi, type ApiRequest } from "../fake-api/index.ts";

const sent = ({ messages }: ApiRequest): string => JSON.stringify(messages);

/** Edits a file, then continues until the errors are reported, which takes time on a busy machine. */
const api = startFakeApi({
  responder(request) {
    const calls = request.messages.filter(({ role }) => role === "assistant").length;
    const content = "fine\nthis is wrong\n";
    if (calls === 0) return { content: [call("Write", { file_path: "a.go", content })] };
    const isWaiting =
      sent(request).includes("wait for it") && !sent(request).includes("New errors");
    if (!isWaiting || calls === 100) return say("Done.");
    return { content: [call("Bash", { command: `sleep 0.${calls}` })] };
  },
});
const env = { ANTHROPIC_API_KEY: "sk-ant-not-for-servers", ANTHROPIC_BASE_URL: api.url };
const boxes: Sandbox[] = [];
afterAll(async () => {
  await api.stop();
  await Promise.all(boxes.map((box) => box.remove()));
});

const args = ["-p", "--permission-mode", "bypass"];
const lastSent = (): string => JSON.stringify(api.requests.at(-1)?.body?.messages);

/** A sandbox in which a language server for Go is installed. */
async function boxWithServer(): Promise<Sandbox> {
  const box = inProcess(await sandbox("diagnostics"));
  boxes.push(box);
  await Bun.write(
    join(box.root, "bin/gopls"),
    // A server that finds the key ends, and no error is ever reported.
    '#!/bin/sh\nenv | grep -q sk-ant && exit 1\nexec bun "$(dirname "$0")/small-server.js" push\n',
  );
  await chmod(join(box.root, "bin/gopls"), 0o755);
  const entrypoints = [join(import.meta.dir, "../extensions/diagnostics/small-server.ts")];
  await Bun.build({ entrypoints, outdir: join(box.root, "bin"), target: "bun" });
  return box;
}

test("the model is told of the errors that its edit brought; the server has no key", async () => {
  const box = await boxWithServer();
  const { code } = await box.run([...args, "--trust", "wait for it"], { env });
  expect(code).toBe(0);
  expect(lastSent()).toContain("New errors, reported by gopls:\\na.go:2:1 this is wrong [E1]");
});

test("no language server runs in a folder that is not trusted, or when they are off", async () => {
  const untrusted = await boxWithServer();
  expect(await untrusted.run([...args, "write it"], { env })).toMatchObject({ code: 0 });
  const off = await boxWithServer();
  await Bun.write(join(off.home, "settings.json"), '{"diagnostics": false}');
  expect(await off.run([...args, "--trust", "write it"], { env })).toMatchObject({ code: 0 });
  expect(lastSent()).not.toContain("New errors");
  for (const { project } of [untrusted, off]) expect(existsSync(join(project, "a.go"))).toBe(true);
});
