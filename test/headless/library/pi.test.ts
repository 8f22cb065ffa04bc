/** The extension in the real pi, whose model is the strict fake API. Needs the registry, once. */

import { afterAll, expect, test } from "bun:test";
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { bundledLibrary } from "../../builds.ts";
import { call, say, startFakeApi } from "../../fake-api/index.ts";

/** The newest version whose dependencies are all on every mirror. */
const pi = "@earendil-works/pi-coding-agent@1.5.2";

const root = await mkdtemp(join(tmpdir(), "pi-"));
afterAll(() => rm(root, { recursive: true, force: true }));
await Bun.write(join(root, "package.json"), '{"private":true}');
const installed = Bun.spawn([process.execPath, "add", "-E", "--ignore-scripts", pi], {
  cwd: root,
  stdout: "ignore",
  stderr: "pipe",
});
const why = await installed.stderr.text();
const isThere = (await installed.exited) === 0;
if (!isThere) console.warn(`Skipped: ${pi} cannot be installed. ${why.trim()}`);

test.skipIf(!isThere)("old results are cut in pi's requests, which stay valid", async () => {
  const windowTokens = 200_000;
  const api = startFakeApi({ model: { windowTokens } });
  const agent = join(root, "agent");
  await mkdir(agent);
  const compat = { supportsEagerToolInputStreaming: false };
  const models = [
    { id: "claude-sonnet-4-5", contextWindow: windowTokens, maxTokens: 1_000, compat },
  ];
  const fake = { baseUrl: api.url, api: "anthropic-messages", apiKey: "test", models };
  await Bun.write(join(agent, "models.json"), JSON.stringify({ providers: { fake } }));
  // Its own compaction would hide what the engine does.
  const settings = { compaction: { enabled: false } };
  await Bun.write(join(agent, "settings.json"), JSON.stringify(settings));

  const lines = 1_400;
  const files = Array.from({ length: 8 }, (_, at) => join(root, `${at}.txt`));
  for (const file of files) {
    await Bun.write(file, `line of ${file}\n`.repeat(lines));
    api.next({ content: [call("read", { path: file })] }, say(`Seen ${file}.`));
  }
  const flags = ["--offline", "--no-session", "--thinking", "off", "--provider", "fake"];
  const child = Bun.spawn(
    [
      // Its Node may be newer than that of this machine.
      process.execPath,
      join(root, "node_modules/@earendil-works/pi-coding-agent/dist/bundle/cli.js"),
      ...flags,
      "--print",
      "--model",
      "claude-sonnet-4-5",
      "--extension",
      join(await bundledLibrary(join(root, "lib")), "pi.js"),
      ...files.map((file) => `Read ${file}`),
    ],
    {
      cwd: root,
      env: { HOME: root, PATH: process.env["PATH"], PI_CODING_AGENT_DIR: agent, PI_TELEMETRY: "0" },
      stdin: "ignore",
      stdout: "pipe",
      stderr: "pipe",
    },
  );
  const [out, err] = await Promise.all([child.stdout.text(), child.stderr.text()]);
  expect([await child.exited, err]).toEqual([0, ""]);
  expect(out).toContain(`Seen ${files.at(-1)}.`);
  expect(api.refusals).toEqual([]);
  const sent = api.requests.map(
    ({ body }) => JSON.stringify(body?.messages).split("line of").length,
  );
  expect(Math.max(...sent)).toBeLessThan(files.length * lines);
  const last = JSON.stringify(api.requests.at(-1)?.body?.messages);
  expect(last).toMatch(/\[\.\.\. \d+ characters cut \.\.\.\]/);
  await api.stop();
});
