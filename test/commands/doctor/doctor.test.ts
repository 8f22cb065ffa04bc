import { expect, test } from "bun:test";
import { chmod, mkdir, rm, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { runDoctor, type Machine } from "../../../src/commands/doctor/doctor.ts";
import { testFolder } from "../../folder.ts";

const root = testFolder("doctor");

/** A folder of programs that do nothing, except those with a given script. */
async function programs(folder: string, names: Record<string, string>): Promise<string> {
  const path = join(root, folder);
  await mkdir(path, { recursive: true });
  for (const [name, script] of Object.entries(names)) {
    await writeFile(join(path, name), `#!/bin/sh\n${script}\n`);
    await chmod(join(path, name), 0o755);
  }
  return path;
}
const PATH = await programs("bin", { bash: "", git: "", bwrap: "exit 0" });

const healthy: Machine = {
  env: { TERM: "xterm-256color", COLORTERM: "truecolor", LANG: "en_US.UTF-8", PATH },
  terminal: { columns: 200, rows: 40 },
  bun: "1.4.5",
  ripgrep: "/rg",
  provider: {
    name: "anthropic",
    model: "claude",
    address: "https://a",
    keyVariable: "ANTHROPIC_API_KEY",
  },
  root: join(root, "home"),
  settings: { file: "/settings.json", problems: [] },
  hooks: { count: 0, problems: [] },
};

async function examine(changes: Partial<Machine>): Promise<{ code: number; lines: string[] }> {
  let text = "";
  const code = await runDoctor({ ...healthy, ...changes }, (more) => (text += more));
  return { code, lines: text.split("\n") };
}

/** The line of a check, and the fix below it. */
async function check(name: string, changes: Partial<Machine>): Promise<string> {
  const { lines } = await examine(changes);
  const at = lines.findIndex((line) => line.slice(9).startsWith(name));
  const fix = lines[at + 1]?.trim() ?? "";
  const shown = lines[at]?.replace(/ {2,}/g, " | ") ?? "";
  return fix.startsWith("Fix: ") ? `${shown} | ${fix}` : shown;
}

const env = (changes: Record<string, string | undefined>): Partial<Machine> => ({
  env: { ...healthy.env, ...changes },
});

test("a healthy machine has no warning and no problem", async () => {
  const { code, lines } = await examine({});
  expect(code).toBe(0);
  expect(lines[0]).toMatch(/^mini-claude \d+\.\d+\.\d+/);
  // What it says of the sandbox depends on this machine.
  const aboutSandbox = / (?:Sandbox|Mode auto) |install bubblewrap/;
  const checks = lines.slice(2).filter((line) => line !== "" && !aboutSandbox.test(line));
  expect(checks.filter((line) => !line.startsWith("ok  "))).toEqual([]);
  expect(checks).toHaveLength(9);
  // The texts form one column.
  const widest = "ok       Data folder  ";
  expect(checks.filter((line) => !/^.{20} {2}\S/.test(line))).toEqual([]);
  expect(checks.find((line) => line.startsWith(widest))).toBeDefined();
});

test("a problem makes the exit code 1, a warning does not", async () => {
  expect((await examine({ ripgrep: null })).code).toBe(0);
  expect((await examine({ settings: { file: "", problems: ["x is wrong."] } })).code).toBe(1);
});

const cases: [name: string, changes: Partial<Machine>, line: string][] = [
  ["Terminal", {}, "ok | Terminal | xterm-256color, 200x40"],
  ["Terminal", { terminal: null }, "warning | Terminal | output is not a terminal | Fix: start it"],
  ["Encoding", {}, "ok | Encoding | UTF-8 (en_US.UTF-8)"],
  ["Encoding", env({ LC_ALL: "C" }), "warning | Encoding | C is not UTF-8 | Fix: set LANG"],
  ["Encoding", env({ LC_CTYPE: "C.utf8" }), "ok | Encoding | UTF-8 (C.utf8)"],
  ["Encoding", env({ LANG: "" }), "warning | Encoding | no locale is set"],
  ["Settings", {}, "ok | Settings | /settings.json"],
  ["Hooks", { hooks: { count: 2, problems: [] } }, "ok | Hooks | 2 commands"],
  [
    "Hooks",
    { hooks: { count: 0, problems: ["y is unknown."] } },
    "warning | Hooks | y is unknown. | Fix:",
  ],
  [
    "Settings",
    { settings: { file: "", problems: ["x is wrong."] } },
    "problem | Settings | x is wrong. | Fix:",
  ],
  ["Model", {}, "ok | Model | claude at https://a, key in ANTHROPIC_API_KEY"],
  ["Model", { provider: { name: "offline" } }, "warning | Model | only the built-in offline model"],
  ["Model", { provider: { error: "bad address" } }, "problem | Model | bad address | Fix: correct"],
  [
    "Model",
    { provider: { name: "openai", model: "m", address: "https://b", keyVariable: null } },
    "problem | Model | m at https://b, without a key | Fix: set OPENAI_API_KEY",
  ],
  [
    "Model",
    { provider: { name: "anthropic", model: "m", address: "https://b", keyVariable: null } },
    "problem | Model | m at https://b, without a key | Fix: set ANTHROPIC_API_KEY",
  ],
  [
    "Model",
    {
      provider: { name: "openai", model: "m", address: "http://localhost:1/v1", keyVariable: null },
    },
    "ok | Model | m at http://localhost:1/v1, without a key",
  ],
  ["Bun", {}, "ok | Bun | 1.4.5"],
  ["Bun", { bun: "1.4.4" }, "problem | Bun | 1.4.4, but"],
  ["ripgrep", {}, "ok | ripgrep | /rg"],
  ["ripgrep", { ripgrep: null }, "warning | ripgrep | missing; the model cannot use Grep and Glob"],
  [
    "bash",
    env({ PATH: "/nowhere" }),
    "warning | bash | missing; commands run in /bin/sh | Fix: install bash",
  ],
  ["git", env({ PATH: "/nowhere" }), "warning | git | missing; the model is not told"],
  ["git", {}, `ok | git | ${PATH}/git`],
];

test.each(cases.map(([name, changes, line]) => [line, name, changes] as const))(
  "%s",
  async (line, name, changes) => {
    expect(await check(name, changes)).toStartWith(line);
  },
);

const certificate = "-----BEGIN CERTIFICATE-----\nx\n-----END CERTIFICATE-----\n";
await writeFile(join(root, "ca.pem"), certificate.repeat(2));
await writeFile(join(root, "ca.der"), "0\u0082");

test.each([
  [
    { https_proxy: "http://me:secret@proxy.example:8080" },
    "ok | Proxy | http://proxy.example:8080, with a user name (https_proxy)",
  ],
  [{ HTTPS_PROXY: "proxy" }, "problem | Proxy"],
  [
    { NODE_EXTRA_CA_CERTS: join(root, "ca.pem") },
    `ok | Certificates | 2 authorities in ${join(root, "ca.pem")} (NODE_EXTRA_CA_CERTS)`,
  ],
  [
    { SSL_CERT_FILE: join(root, "ca.der") },
    `problem | Certificates | ${join(root, "ca.der")} (SSL_CERT_FILE) holds no certificate`,
  ],
  [{ SSL_CERT_FILE: join(root, "none") }, "problem | Certificates"],
  [{ NODE_TLS_REJECT_UNAUTHORIZED: "0" }, "problem | Certificates"],
  [{ NODE_USE_SYSTEM_CA: "1" }, "ok | Certificates"],
])("with %p: %s", async (variables, line) => {
  const [, name = ""] = line.split(" | ");
  const wide = { ...env(variables), terminal: { columns: 400, rows: 40 } };
  expect(await check(name, wide)).toStartWith(line);
});

test.if(process.platform === "linux")("a bubblewrap on the PATH is not run", async () => {
  const planted = await programs("planted", { bwrap: "echo planted >&2; exit 1" });
  for (const place of [planted, "/nowhere"]) {
    const said = await check("Sandbox", env({ PATH: place }));
    expect(said).not.toContain("planted");
    expect(said).toMatch(/confined \(\/usr|not installed|cannot start/);
  }
});

test("the data folder shows its size, and from 2 GB on, pruning is suggested", async () => {
  const sessions = join(healthy.root, "sessions", "project");
  await mkdir(sessions, { recursive: true });
  await writeFile(join(sessions, "a.jsonl"), "x".repeat(1_500));
  expect(await check("Data folder", {})).toContain("/home, 1.5 kB used, ");
  // The file is sparse: it takes no space.
  await writeFile(join(sessions, "large.jsonl"), "");
  await truncate(join(sessions, "large.jsonl"), 2_000_000_000 - 1_500);
  expect(await check("Data folder", {})).toStartWith("ok | Data folder");
  await truncate(join(sessions, "large.jsonl"), 2_000_000_001 - 1_500);
  expect(await check("Data folder", {})).toMatch(
    /^warning \| .* 2\.0 GB used.* \| Fix: mini-claude sessions prune --days 30 --all$/,
  );
  await rm(sessions, { recursive: true });
});

test("a data folder that is missing is judged by the folder it would be made in", async () => {
  expect(await check("Data folder", { root: join(root, "not", "there", "yet") })).toMatch(
    /^ok \| Data folder \| .*yet, 0 bytes used, [\d.]+ [kMGT]B free$/,
  );
  expect(await check("Data folder", { root: "/proc/1/mini-claude" })).toMatch(
    /^problem \| Data folder/,
  );
});

test("lines wrap at words in a narrow terminal, below their own column", async () => {
  const terminal = { columns: 60, rows: 24 };
  const { lines } = await examine({ terminal, provider: { name: "offline" } });
  for (const line of lines) expect(line.length).toBeLessThanOrEqual(60);
  const at = lines.findIndex((line) => line.startsWith("warning  Model"));
  expect(lines[at + 1]).toMatch(/^ {20,}\S/);
});
