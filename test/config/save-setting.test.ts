import { expect, test } from "bun:test";
import { chmodSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { saveSetting } from "../../src/config/save-setting.ts";

test("one setting is saved and the others kept; a file that is not JSON is left alone", async () => {
  const root = mkdtempSync(join(tmpdir(), "save-"));
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
  writeFileSync(file, "{ model: m }");
  expect(() => saveSetting(file, "theme", "dark")).toThrow("is not a JSON object");
  expect(await Bun.file(file).text()).toBe("{ model: m }");
  rmSync(root, { recursive: true });
});
