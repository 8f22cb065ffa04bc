/**
 * Publishes two versions to a registry on this machine and installs the program from it as strangers
 * would: `bun test/lab/release/registry.ts`. Needs npm and the network, for verdaccio and pnpm alone; takes about a
 * minute.
 */

import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { hostTarget } from "../../../src/release/compile.ts";
import { start } from "../../ui/pty.ts";

const repository = join(import.meta.dir, "../../..");
const root = mkdtempSync(join(tmpdir(), "registry-"));
const name = "mini-claude";
const versions = ["9.0.0", "9.0.1"] as const;
const [first, second] = versions;

/** Folders with one program each, so that an environment has nothing but what it names. */
function folderWith(...programs: string[]): string {
  const folder = mkdtempSync(join(root, "path-"));
  for (const program of programs) {
    const path = program === "bun" || program === "bunx" ? process.execPath : Bun.which(program);
    if (path === null) throw new Error(`${program} is not installed.`);
    symlinkSync(path, join(folder, program));
  }
  return folder;
}

const system = ["sh", "env", "bash", "dirname", "uname", "readlink", "sed", "grep"];

const ownEnv = { PATH: process.env["PATH"] ?? "", HOME: process.env["HOME"] ?? "/" };

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  const address = server.address();
  server.close();
  if (address === null || typeof address === "string") throw new Error("There is no free port.");
  return address.port;
}

async function startRegistry(): Promise<{ url: string; stop(): void }> {
  const port = await freePort();
  const config = join(root, "verdaccio.yaml");
  writeFileSync(
    config,
    `storage: ${join(root, "storage")}
uplinks: {}
packages: {"**": {access: $all, publish: $all}}
max_body_size: 500mb
log: {type: stdout, level: error}
auth: {htpasswd: {file: ${join(root, "htpasswd")}}}
`,
  );
  // A dependency of a part that is not used here names a tag that not every mirror has.
  const manifest = {
    private: true,
    dependencies: { pnpm: "10.30.0", verdaccio: "6.10.4" },
    overrides: { "node-fetch": "2.7.0" },
  };
  writeFileSync(join(root, "package.json"), JSON.stringify(manifest));
  await run({ folder: root, env: ownEnv }, "npm", "install", "--no-audit", "--no-fund");
  const program = join(root, "node_modules/.bin/verdaccio");
  const child = Bun.spawn(
    [process.execPath, program, "--config", config, "--listen", `127.0.0.1:${port}`],
    {
      cwd: root,
      stdout: "ignore",
      stderr: "inherit",
    },
  );
  const url = `http://127.0.0.1:${port}`;
  while (!(await fetch(`${url}/-/ping`).catch(() => null))?.ok) {
    if (child.exitCode !== null) throw new Error("verdaccio did not start.");
    await Bun.sleep(100);
  }
  return { url, stop: () => child.kill() };
}

/** A home in which nothing was ever installed, with a configuration that names the registry. */
function emptyHome(registry: string, programs: readonly string[]) {
  const home = mkdtempSync(join(root, "home-"));
  const folder = join(home, "work");
  mkdirSync(folder);
  const host = registry.replace("http:", "");
  writeFileSync(join(home, ".npmrc"), `registry=${registry}/\n${host}/:_authToken=nobody\n`);
  writeFileSync(join(home, ".bunfig.toml"), `[install]\nregistry = "${registry}/"\n`);
  const prefix = join(home, "prefix");
  const env = {
    HOME: home,
    TMPDIR: mkdtempSync(join(root, "tmp-")),
    PATH: `${join(prefix, "bin")}:${join(home, ".bun/bin")}:${folderWith(...system, ...programs)}`,
    BUN_INSTALL_CACHE_DIR: join(home, "cache"),
  };
  return { home, folder, prefix, env };
}

type Home = ReturnType<typeof emptyHome>;

type Place = { folder: string; env: { PATH: string } & Record<string, string> };

async function run({ folder, env }: Place, ...command: string[]): Promise<string> {
  const path = Bun.which(command[0] ?? "", { PATH: env.PATH });
  if (path === null) throw new Error(`${command[0]} is not on ${env.PATH}`);
  const child = Bun.spawn([path, ...command.slice(1)], {
    cwd: folder,
    env,
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
  });
  const [out, err, code] = await Promise.all([
    child.stdout.text(),
    child.stderr.text(),
    child.exited,
  ]);
  if (code !== 0) throw new Error(`${command.join(" ")} ended with ${code}:\n${out}${err}`);
  return out.trim();
}

/** A copy of the repository in which package.json has another version. */
function copyWithVersion(version: string): string {
  const copy = join(root, version);
  mkdirSync(copy);
  for (const entry of ["src", "README.md", "LICENSE", "tsconfig.json"])
    cpSync(join(repository, entry), join(copy, entry), { recursive: true });
  symlinkSync(join(repository, "node_modules"), join(copy, "node_modules"));
  const changelog = join(copy, "src/CHANGELOG.md");
  const sections = readFileSync(changelog, "utf8");
  writeFileSync(changelog, sections.replace(/^## \S+/m, `## ${version}`));
  const manifest = readFileSync(join(repository, "package.json"), "utf8");
  writeFileSync(
    join(copy, "package.json"),
    manifest.replace(/"version": "[^"]*"/, `"version": "${version}"`),
  );
  return copy;
}

async function publish(version: string, registry: string): Promise<void> {
  const folder = copyWithVersion(version);
  const { env } = emptyHome(registry, []);
  const out = join(root, `release-${version}`);
  const args = ["src/release/release.ts", "--targets", hostTarget().name, "--out", out];
  const withTools = { folder, env: { ...env, PATH: ownEnv.PATH } };
  await run(withTools, process.execPath, ...args, "--publish", registry);
  await run({ folder: out, env: withTools.env }, "sha256sum", "--check", "SHA256SUMS");
}

function equal(what: string, found: unknown, wanted: unknown): void {
  if (!Bun.deepEquals(found, wanted))
    throw new Error(`${what}: ${JSON.stringify(found)} instead of ${JSON.stringify(wanted)}`);
  console.log(`ok  ${what}`);
}

async function milliseconds(home: Home, rounds: number, ...command: string[]): Promise<string> {
  const times: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const began = performance.now();
    await run(home, ...command);
    times.push(performance.now() - began);
  }
  return `${(times.toSorted((a, b) => a - b)[rounds >> 1] ?? 0).toFixed(0)} ms`;
}

const shown = (version: string): string => `${name} ${version}`;
const answers = async (home: Home, ...command: string[]): Promise<boolean> =>
  (await run(home, ...command, "-p", "--offline", "hello")).length > 0;

async function checkAll(registry: string): Promise<void> {
  await publish(first, registry);

  const npx = emptyHome(registry, ["node", "npm", "npx"]);
  equal("npx, with Node alone", await run(npx, "npx", "-y", name, "--version"), shown(first));
  equal("npx answers at its second start", await answers(npx, "npx", "-y", name), true);
  const bunx = emptyHome(registry, ["bun", "bunx"]);
  equal("bunx, with Bun alone", await run(bunx, "bunx", name, "--version"), shown(first));
  equal("bunx answers at its second start", await answers(bunx, "bunx", name), true);

  const npm = emptyHome(registry, ["node", "npm"]);
  await run(npm, "npm", "install", "--global", `--prefix=${npm.prefix}`, name);
  console.log(
    `first start of an installed program: ${await milliseconds(npm, 1, name, "--version")}`,
  );
  equal("npm install --global", await run(npm, name, "--version"), shown(first));
  equal("it answers", await answers(npm, name), true);
  const pty = start([join(npm.prefix, "bin", name), "--offline", "--trust"], {
    cwd: npm.folder,
    env: npm.env,
  });
  await pty.waitFor("?");
  await pty.press("ctrl+d");
  await pty.exited;
  await pty.close();
  console.log("ok  its screen opens and closes in a terminal");

  const bun = emptyHome(registry, ["bun", "bunx"]);
  await run(bun, "bun", "add", "--global", name);
  equal("bun add --global, by bunx", await run(bun, "bunx", name, "--version"), shown(first));
  equal("it answers, too", await answers(bun, "bunx", name), true);

  const pnpm = emptyHome(registry, ["node"]);
  const dlx = ["node", join(root, "node_modules/pnpm/bin/pnpm.cjs"), "dlx", name];
  equal("pnpm dlx", await run(pnpm, ...dlx, "--version"), shown(first));
  equal("pnpm dlx again", await answers(pnpm, ...dlx), true);
  const advice = `${shown(first)} is fetched for each start; for the latest version: pnpm dlx ${name}@latest`;
  equal("its update", await run(pnpm, ...dlx, "update"), advice);

  const library = emptyHome(registry, ["bun", "node", "npm"]);
  await run(library, "npm", "install", name);
  writeFileSync(
    join(library.folder, "a.mjs"),
    `import { createAgent } from "${name}"; import { createContext } from "${name}/context";
console.log(typeof createAgent, typeof createContext);`,
  );
  equal("the library, on Bun", await run(library, "bun", "a.mjs"), "function function");

  const latest = `${shown(first)} is the latest version.`;
  equal("no update yet", await run(npm, name, "update"), latest);
  equal("nor with Bun", await run(bun, "bunx", name, "update"), latest);
  await publish(second, registry);
  for (const [command, home] of [
    [[name], npm],
    [["bunx", name], bun],
  ] as const) {
    await run(home, ...command, "update");
    equal(`update by ${command[0]}`, await run(home, ...command, "--version"), shown(second));
  }
  equal(
    "npx of the next version",
    await run(npx, "npx", "-y", `${name}@latest`, "--version"),
    shown(second),
  );

  const program = await run(
    npm,
    "sh",
    "-c",
    `echo ${npm.prefix}/lib/node_modules/${name}/node_modules/*/bin/${name}`,
  );
  console.log(`program: ${(statSync(program).size / 1e6).toFixed(0)} MB`);
  console.log(`start by the launcher: ${await milliseconds(npm, 21, name, "--version")}`);
  const direct = { ...npm, env: { ...npm.env, PATH: dirname(program) } };
  console.log(`start of the program itself: ${await milliseconds(direct, 21, name, "--version")}`);
  console.log(`start of Node alone: ${await milliseconds(npm, 21, "node", "-e", "0")}`);
}

const registry = await startRegistry();
try {
  await checkAll(registry.url);
} finally {
  registry.stop();
  rmSync(root, { recursive: true, force: true });
}
