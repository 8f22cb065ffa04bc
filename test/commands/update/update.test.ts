/** `mini-claude update`: with a package manager that records what it is asked. */

import { afterAll, expect, test } from "bun:test";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { version } from "../../../package.json";
import { sandbox } from "../../bin.ts";
import { runInProcess } from "../../in-process.ts";

const box = await sandbox("update");
afterAll(box.remove);

const build = "mini-claude-linux-x64/bin/mini-claude";
const byNpm = `/usr/local/lib/node_modules/mini-claude/node_modules/${build}`;
const byBun = `/home/me/.bun/install/global/node_modules/${build}`;

const bin = join(box.root, "managers");
mkdirSync(bin);
const calls = join(box.root, "calls");

/** Updates the program at `installedAt`; its package manager knows of the version `newest`. */
async function update(installedAt: string, newest: string, ...args: string[]) {
  rmSync(calls, { force: true });
  const script = `#!/bin/sh
echo "$(basename "$0") $*" >>${calls}
case $* in
  *view*) echo '${newest}'; [ '${newest}' ] || { echo "no network" >&2; exit 1; } ;;
esac
`;
  for (const name of ["npm", "bun", "pnpm"])
    writeFileSync(join(bin, name), script, { mode: 0o755 });
  const run = await runInProcess(box, ["update", ...args], {
    env: { PATH: `${bin}:/bin:/usr/bin` },
    installedAt,
  });
  const asked = existsSync(calls) ? readFileSync(calls, "utf8").trim().split("\n") : [];
  return { ...run, asked };
}

test.each([
  [byNpm, "npm install --global --prefix=/usr/local mini-claude@latest"],
  [
    "C:\\Users\\me\\AppData\\Roaming\\npm\\node_modules\\mini-claude\\node_modules\\mini-claude-windows-x64\\bin\\mini-claude.exe",
    "npm install --global mini-claude@latest",
  ],
  [byBun, "bun add --global --no-cache mini-claude@latest"],
  [
    `/home/me/.local/share/pnpm/global/5/.pnpm/mini-claude-linux-x64@0.1.0/node_modules/${build}`,
    "pnpm add --global mini-claude@latest",
  ],
])("what is at %s is updated by %s", async (program, command) => {
  const { code, out } = await update(program, "9.9.9", "--check");
  expect(code).toBe(1);
  expect(out).toEndWith(`9.9.9 is there; this is ${version}. Update with: ${command}\n`);
});

test("what a package runner fetches is fetched anew by it", async () => {
  const program = `/home/me/.npm/_npx/0a1b/node_modules/${build}`;
  const { code, out, asked } = await update(program, "9.9.9");
  expect([code, asked]).toEqual([0, []]);
  expect(out).toEndWith("for the latest version: npx mini-claude@latest\n");
});

test.each([`/home/me/project/node_modules/${build}`, "/home/me/bin/mini-claude"])(
  "what is at %s was not installed for all folders",
  async (program) => {
    const { code, out, asked } = await update(program, "9.9.9");
    expect([code, asked]).toEqual([1, []]);
    expect(out).toContain("was not installed by a package manager for all folders");
  },
);

test("a checkout says that it is one, whatever Bun runs it", async () => {
  const { code, out } = await runInProcess(box, ["update"]);
  expect(code).toBe(1);
  expect(out).toContain("runs from a checkout; update it with git pull in /");
});

const view = "npm view mini-claude version";
const install = "npm install --global --prefix=/usr/local mini-claude@latest";

test("a newer version is installed by the manager that installed this one", async () => {
  expect(await update(byNpm, '"9.9.9"')).toEqual({
    code: 0,
    out: `Updating from ${version} to 9.9.9: ${install}\nUpdated to 9.9.9. Sessions that are open keep ${version} until they are started again.\n`,
    err: "",
    asked: [view, install],
  });
  const { asked } = await update(byBun, "9.9.9");
  expect(asked).toEqual([
    "bun pm view mini-claude version",
    "bun add --global --no-cache mini-claude@latest",
    "bun x mini-claude --version",
  ]);
});

test("--check only says whether there is a newer version; the latest is not installed again", async () => {
  expect(await update(byNpm, "9.9.9", "--check")).toMatchObject({ code: 1, asked: [view] });
  expect(await update(byNpm, version)).toMatchObject({
    code: 0,
    out: `mini-claude ${version} is the latest version.\n`,
    asked: [view],
  });
});

test("a manager that fails says why, in one line", async () => {
  const { code, err } = await update(byNpm, "");
  expect([code, err]).toEqual([1, `mini-claude: ${view} failed: no network\n`]);
});

test("the opened folder's own package manager is not run", async () => {
  const own = join(box.project, "node_modules/.bin");
  for (const folder of [own, join(box.project, ".git")]) mkdirSync(folder, { recursive: true });
  writeFileSync(join(own, "npm"), "#!/bin/sh\ntouch ran\necho 9.9.9\n", { mode: 0o755 });
  const run = await runInProcess(box, ["update"], { env: { PATH: own }, installedAt: byNpm });
  expect(run.err).toContain("npm, which installed this program, is not on the PATH");
  expect(existsSync(join(box.project, "ran"))).toBe(false);
});
