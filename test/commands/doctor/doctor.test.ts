/** `mini-claude doctor`: what it says of this machine, and of what the environment and settings say. */

import { afterAll, beforeEach, expect, spyOn, test } from "bun:test";
import { chmod, mkdir, rm, truncate } from "node:fs/promises";
import { join } from "node:path";
import { sandbox } from "../../bin.ts";
import { runInProcess } from "../../in-process.ts";

const box = await sandbox("doctor");
afterAll(box.remove);
beforeEach(() => rm(box.home, { recursive: true, force: true }));

/** A folder of programs that do nothing, except those with a given script. */
async function programs(folder: string, names: Record<string, string>): Promise<string> {
  for (const [name, script] of Object.entries(names)) {
    await Bun.write(join(box.root, folder, name), `#!/bin/sh\n${script}\n`);
    await chmod(join(box.root, folder, name), 0o755);
  }
  return join(box.root, folder);
}
const PATH = await programs("programs", { bash: "", git: "" });
const healthy = { TERM: "xterm", LANG: "en_US.UTF-8", PATH, ANTHROPIC_API_KEY: "sk-ant-secret" };

async function doctor(env: Record<string, string> = {}, columns = 400) {
  const options = { env: { ...healthy, ...env }, isTerminal: columns > 0, columns };
  const { code, out, err } = await runInProcess(box, ["doctor"], options);
  expect(err).toBe("");
  return { code, lines: out.split("\n") };
}

/** The line of a check, and the fix below it. */
async function check(name: string, env: Record<string, string> = {}, columns?: number) {
  const { lines } = await doctor(env, columns);
  const at = lines.findIndex((line) => line.slice(9).startsWith(name));
  const fix = lines[at + 1]?.trim() ?? "";
  const shown = lines[at]?.replace(/ {2,}/g, " | ") ?? "";
  return fix.startsWith("Fix: ") ? `${shown} | ${fix}` : shown;
}

test("a healthy machine has no warning and no problem", async () => {
  const { code, lines } = await doctor();
  expect(code).toBe(0);
  expect(lines[0]).toMatch(/^mini-claude \d+\.\d+\.\d+/);
  // What it says of the sandbox depends on this machine.
  const aboutSandbox = / Sandbox |install bubblewrap/;
  const checks = lines.slice(2).filter((line) => line !== "" && !aboutSandbox.test(line));
  expect(checks.filter((line) => !line.startsWith("ok  "))).toEqual([]);
  expect(checks).toHaveLength(9);
  // The texts form one column.
  expect(checks.filter((line) => !/^.{20} {2}\S/.test(line))).toEqual([]);
  expect(lines.join()).not.toContain("sk-ant-secret");
});

const [api, none] = ["https://api.anthropic.com", { ANTHROPIC_API_KEY: "" }];

test.each<[name: string, env: Record<string, string>, line: string]>([
  ["Terminal", {}, "ok | Terminal | xterm, 400x40"],
  ["Encoding", {}, "ok | Encoding | UTF-8 (en_US.UTF-8)"],
  ["Encoding", { LC_ALL: "C" }, "warning | Encoding | C is not UTF-8 | Fix: set LANG"],
  ["Encoding", { LC_CTYPE: "C.utf8" }, "ok | Encoding | UTF-8 (C.utf8)"],
  ["Encoding", { LANG: "" }, "warning | Encoding | no locale is set"],
  ["Model", {}, `ok | Model | claude-sonnet-5-5 at ${api}, key in ANTHROPIC_API_KEY`],
  [
    "Model",
    { ...none, MINI_CLAUDE_PROVIDER: "anthropic" },
    `problem | Model | claude-sonnet-5-5 at ${api}, without a key | Fix: set ANTHROPIC_API_KEY`,
  ],
  [
    "Model",
    { ANTHROPIC_BASE_URL: "https://user:password@gateway.example/api/" },
    "ok | Model | claude-sonnet-5-5 at https://gateway.example/api, key in ANTHROPIC_API_KEY",
  ],
  ["Bun", {}, `ok | Bun | ${Bun.version}`],
  ["ripgrep", {}, "ok | ripgrep | /"],
  [
    "bash",
    { PATH: "/no" },
    "warning | bash | missing; commands run in /bin/sh | Fix: install bash",
  ],
  ["git", { PATH: "/no" }, "warning | git | missing; the model is not told"],
  ["git", {}, `ok | git | ${PATH}/git`],
])("%s with %o: %s", async (name, env, line) => {
  expect(await check(name, env)).toStartWith(line);
});

test("a Bun that is too old is a problem", async () => {
  const satisfies = spyOn(Bun.semver, "satisfies").mockReturnValue(false);
  const { code } = await doctor();
  expect(code).toBe(1);
  expect(await check("Bun")).toMatch(/^problem \| Bun \| .* is required \| Fix: bun upgrade$/);
  satisfies.mockRestore();
});

test("settings with errors are problems; hooks that cannot run are warnings", async () => {
  await Bun.write(join(box.home, "settings.json"), '{"theme": "pink", "modle": "x"}');
  const hooks = { PreTool: [], Stop: [{ hooks: [{ type: "command", command: "true" }] }] };
  const foreign = join(box.root, "home/.claude/settings.json");
  await Bun.write(foreign, JSON.stringify({ hooks }));
  const { code, lines } = await doctor();
  expect(code).toBe(1);
  const said = lines.join("\n");
  expect(said).toMatch(/^problem +Settings .*“theme” must be one of auto/m);
  expect(said).toMatch(/^problem +Settings .*unknown setting “modle”; did you mean “model”\?/m);
  expect(said).toMatch(/^ok +Hooks +1 command$/m);
  expect(said).toMatch(/^warning +Hooks .*there is no hook event “PreTool”/m);
  await rm(join(box.home, "settings.json"));
  expect((await doctor()).code).toBe(0);
  await rm(foreign);
});

const certificate = "-----BEGIN CERTIFICATE-----\nx\n-----END CERTIFICATE-----\n";
const [pem, der] = [join(box.root, "ca.pem"), join(box.root, "ca.der")];
await Bun.write(pem, certificate.repeat(2));
await Bun.write(der, "0\u0082");

test.each<[Record<string, string>, string]>([
  [
    { https_proxy: "http://me:secret@proxy.example:8080" },
    "ok | Proxy | http://proxy.example:8080, with a user name (https_proxy)",
  ],
  [{ HTTP_PROXY: "http://p:1" }, "ok | Proxy | http://p:1 (HTTP_PROXY)"],
  [{ HTTPS_PROXY: "proxy" }, "problem | Proxy | HTTPS_PROXY is not an address"],
  [
    { NODE_EXTRA_CA_CERTS: pem },
    `ok | Certificates | 2 authorities in ${pem} (NODE_EXTRA_CA_CERTS)`,
  ],
  [{ SSL_CERT_FILE: der }, `problem | Certificates | ${der} (SSL_CERT_FILE) holds no certificate`],
  [{ SSL_CERT_FILE: "/none" }, "problem | Certificates | SSL_CERT_FILE names /none, which cannot"],
  [{ NODE_TLS_REJECT_UNAUTHORIZED: "0" }, "problem | Certificates | not checked at all"],
  [{ NODE_USE_SYSTEM_CA: "1" }, "ok | Certificates | also those of the system"],
])("with %p: %s", async (variables, line) => {
  const [, name = ""] = line.split(" | ");
  expect(await check(name, variables)).toStartWith(line);
});

test.if(process.platform === "linux")("a bubblewrap on the PATH is not run", async () => {
  const planted = await programs("planted", { bwrap: "echo planted >&2; exit 1" });
  for (const place of [planted, "/nowhere"]) {
    const said = await check("Sandbox", { PATH: place });
    expect(said).not.toContain("planted");
    expect(said).toMatch(/confined \(\/usr|not installed|cannot start/);
  }
});

test("the data folder shows its size, and from 2 GB on, pruning is suggested", async () => {
  const large = join(box.home, "sessions/project/large.jsonl");
  await Bun.write(join(box.home, "a.jsonl"), "x".repeat(1_500));
  expect(await check("Data folder")).toContain(".mini-claude, 1.5 kB used, ");
  await Bun.write(join(box.home, "b.jsonl"), "x".repeat(14_000));
  expect(await check("Data folder")).toContain(", 16 kB used, ");
  await rm(join(box.home, "b.jsonl"));
  // The file is sparse: it takes no space.
  await Bun.write(large, "");
  await truncate(large, 2_000_000_000 - 1_500);
  expect(await check("Data folder")).toStartWith("ok | Data folder");
  await truncate(large, 2_000_000_001 - 1_500);
  expect(await check("Data folder")).toMatch(
    /^warning \| .* 2\.0 GB used.* \| Fix: mini-claude sessions prune --days 30 --all$/,
  );
});

test("a data folder that is missing is judged by the folder it would be made in", async () => {
  expect(await check("Data folder", { MINI_CLAUDE_HOME: join(box.root, "not/there") })).toMatch(
    /^ok \| Data folder \| .*there, 0 bytes used, [\d.]+ [kMGT]B free$/,
  );
  expect(await check("Data folder", { MINI_CLAUDE_HOME: "/proc/1/mini-claude" })).toMatch(
    /^problem \| Data folder \| .* cannot be written \| Fix: change its permissions/,
  );
});

test("lines wrap at words in a narrow terminal, below their own column; a pipe gets whole lines", async () => {
  await mkdir(box.home, { recursive: true });
  const { lines } = await doctor(none, 60);
  // Only a path, which has no place to wrap at, is longer.
  const texts = lines.filter((line) => line.slice(22).includes(" "));
  expect(texts.filter((line) => line.length > 60)).toEqual([]);
  const at = lines.findIndex((line) => line.startsWith("warning  Model"));
  expect(lines[at + 1]).toMatch(/^ {22}\S/);
  expect(await check("Model", none, 0)).toContain("no key or server is configured | Fix: ");
  expect(await check("Model", none, 40)).toContain("no key or server is configured | Fix: ");
  expect(await check("Terminal", {}, 0)).toStartWith(
    "warning | Terminal | output is not a terminal | Fix: start it in a terminal",
  );
});
