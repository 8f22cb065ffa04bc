import { afterAll, expect, test } from "bun:test";
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { clipboardImage, readersFor } from "../../../src/app/services/programs.ts";

const root = mkdtempSync(join(tmpdir(), "clipboard-"));
afterAll(() => rmSync(root, { recursive: true }));

/** A folder with one program that runs a script. */
function folderWith(name: string, script: string): string {
  const folder = mkdtempSync(join(root, "bin-"));
  writeFileSync(join(folder, name), `#!/bin/sh\n${script}\n`);
  chmodSync(join(folder, name), 0o755);
  return folder;
}

test.each([
  ["wl-paste", { WAYLAND_DISPLAY: "wayland-0" }],
  ["xclip", { DISPLAY: ":0" }],
])("%s is asked for the image", async (name, env) => {
  const PATH = folderWith(name, "printf PNG");
  expect(await clipboardImage({ ...env, PATH })).toEqual(Buffer.from("PNG"));
});

test("PowerShell's image is base64", async () => {
  const PATH = folderWith("powershell.exe", `printf ${btoa("PNG")}`);
  expect(await clipboardImage({ WSL_DISTRO_NAME: "Debian", PATH })).toEqual(Buffer.from("PNG"));
});

test("AppleScript's image is hexadecimal", async () => {
  const PATH = folderWith("osascript", "printf '«data PNGf504E47»\\n'");
  expect(await clipboardImage({ PATH })).toEqual(Buffer.from("PNG"));
});

test("a program that fails means that there is no image", async () => {
  const PATH = folderWith("xclip", "echo no image >&2; exit 1");
  expect(await clipboardImage({ DISPLAY: ":0", PATH })).toBeNull();
});

test("without a display or a program, the user is told what to install", async () => {
  const PATH = folderWith("xclip", "printf PNG");
  expect(readersFor({ PATH })).toEqual([]);
  await expect(clipboardImage({ PATH })).rejects.toThrow("Install wl-clipboard or xclip.");
});
