import { expect, test } from "bun:test";
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { saveAllowRule, saveSetting } from "../../src/config/settings.ts";
import { watchDisk } from "../log/watch-disk.ts";
import { testFolder } from "../folder.ts";

const base = testFolder("save");
const newFolder = (): string => mkdtempSync(join(base, "home-"));

test("one setting is saved and the others kept; a file that is not JSON is left alone", async () => {
  const root = newFolder();
  const file = join(root, "own", "settings.json");
  saveSetting(file, "theme", "light");
  expect(await Bun.file(file).json()).toEqual({ theme: "light" });
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(statSync(join(root, "own")).mode & 0o777).toBe(0o700);
  writeFileSync(file, '{"model":"m","theme":"dark"}');
  chmodSync(file, 0o644);
  saveSetting(file, "theme", "none");
  expect(await Bun.file(file).json()).toEqual({ model: "m", theme: "none" });
  expect(statSync(file).mode & 0o777).toBe(0o600);
  writeFileSync(file, '{\n  // mine\n  "theme": "dark", // here\n}\n');
  saveSetting(file, "theme", "light");
  saveSetting(file, "summary.keepTurns", 3);
  expect(await Bun.file(file).text()).toContain('// mine\n  "theme": "light"');
  expect(Bun.JSONC.parse(await Bun.file(file).text())).toEqual({
    theme: "light",
    summary: { keepTurns: 3 },
  });
  writeFileSync(file, "{ model: m }");
  expect(() => saveSetting(file, "theme", "dark")).toThrow("is not a JSON object");
  expect(await Bun.file(file).text()).toBe("{ model: m }");
});

test("a setting stays where it was", async () => {
  const root = newFolder();
  const file = join(root, "settings.json");
  const saved = async (before: unknown, name: string, value: unknown): Promise<unknown> => {
    writeFileSync(file, JSON.stringify(before));
    saveSetting(file, name, value);
    return Bun.file(file).json();
  };
  expect(await saved({ policy: { snipAt: 0.6 } }, "snipAt", 0.5)).toEqual({
    policy: { snipAt: 0.5 },
  });
  expect(await saved({ "budget.day": 5 }, "budget.day", 9)).toEqual({ "budget.day": 9 });
  expect(await saved({ policy: { balance: "keep" } }, "minFreed", 0)).toEqual({
    policy: { balance: "keep" },
    minFreed: 0,
  });
});

test("a file is synced before it takes the old one's name, and its folder after", () => {
  const root = newFolder();
  const events = watchDisk(root);
  saveSetting(join(root, "own", "settings.json"), "theme", "light");
  const part = `own/settings.json.${process.pid}.part`;
  expect(events).toEqual([
    "sync .",
    `write ${part}`,
    `sync ${part}`,
    `rename ${part} to own/settings.json`,
    "sync own",
  ]);
});

test("a link to a file in another folder stays a link, even before that file exists", async () => {
  const root = newFolder();
  mkdirSync(join(root, "dot"));
  const [link, file] = [join(root, "settings.json"), join(root, "dot", "settings.json")];
  symlinkSync(join("dot", "settings.json"), link);
  for (const theme of ["dark", "light"]) {
    saveSetting(link, "theme", theme);
    expect(lstatSync(link).isSymbolicLink()).toBe(true);
    expect(await Bun.file(file).json()).toEqual({ theme });
  }
});

test("a rule is added once, and everything else in the file stays", async () => {
  const file = join(newFolder(), "settings.json");
  writeFileSync(file, '{"theme": "dark", "permissions": {"deny": ["Bash(rm:*)"]}}');
  for (const rule of ["Bash(npm test)", "Bash(npm test)", "Bash(make)"]) saveAllowRule(file, rule);
  expect(await Bun.file(file).json()).toEqual({
    theme: "dark",
    permissions: { deny: ["Bash(rm:*)"], allow: ["Bash(npm test)", "Bash(make)"] },
  });
  const fresh = join(newFolder(), "settings.json");
  saveAllowRule(fresh, "Read");
  expect(await Bun.file(fresh).json()).toEqual({ permissions: { allow: ["Read"] } });
});
