/** The user's own programs: editor, and what reads the clipboard. */

import { expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { chmod, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Services } from "../../ui/quiet-services.ts";
import { folders, openServices } from "./open.ts";

const newFolders = folders("programs");
const { home: root } = newFolders();

/** A program that runs `script`, with a file as $1. */
async function program(name: string, script: string): Promise<string> {
  const file = join(root, name);
  await writeFile(file, `#!/bin/sh\n${script}\n`);
  await chmod(file, 0o755);
  return file;
}

async function withEnv<T>(env: Record<string, string>, use: (services: Services) => Promise<T>) {
  return use((await openServices({ ...newFolders(), env, args: ["--offline"] })).services);
}

const edited = (text: string, env: Record<string, string>): Promise<string> =>
  withEnv(env, ({ edit }) => edit(text));

test("VISUAL comes before EDITOR; an empty or blank variable counts as not set", async () => {
  const missing = join(root, "missing");
  const upper = await program("upper", 'tr a-z A-Z <"$1" >"$1.new" && mv "$1.new" "$1"');
  for (const env of [
    { VISUAL: upper, EDITOR: missing },
    { VISUAL: "", EDITOR: upper },
    { VISUAL: " ", EDITOR: upper },
  ])
    expect(await edited("text", env)).toBe("TEXT");
});

test("arguments come before the file; the last newline is the editor's, not the user's", async () => {
  const sh = await program("arguments", '[ "$1" = --wait ] && echo "waited" >"$2"');
  expect(await edited("", { EDITOR: `${sh} --wait` })).toBe("waited");
  const lines = await program("lines", 'printf "%s\\n\\n" "$MARK" >"$1"');
  expect(await edited("", { EDITOR: lines, MARK: "kept" })).toBe("kept\n");
});

test("a failing editor leaves the prompt unchanged and no file behind", async () => {
  const where = join(root, "where");
  const failing = await program("failing", `printf %s "$1" >${where}; exit 3`);
  await expect(edited("text", { EDITOR: failing })).rejects.toThrow(
    "exited with 3; the prompt is unchanged",
  );
  expect(existsSync(await readFile(where, "utf8"))).toBe(false);
  const missing = join(root, "missing");
  await expect(edited("text", { EDITOR: missing })).rejects.toThrow(
    `“${missing}” could not be started`,
  );
});

test("the text is in a private file and folder, complete before the program starts", async () => {
  const seen = join(root, "seen");
  const script = `stat -c %a "$1" "$(dirname "$1")" >${seen}; cat "$1" >>${seen}`;
  const EDITOR = await program("look", script);
  await edited("the text", { EDITOR });
  expect(await readFile(seen, "utf8")).toBe("600\n700\nthe text");
  await withEnv({ EDITOR }, ({ editFile }) => editFile(join(root, "a/new/folder/notes.md")));
  expect(await readFile(seen, "utf8")).toBe("600\n700\n");
});

/** One pixel. */
const png = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
);

/** A folder with one program that runs a script. */
async function folderWith(name: string, script: string): Promise<string> {
  const folder = join(root, crypto.randomUUID());
  const file = join(folder, name);
  await Bun.write(file, `#!/bin/sh\n${script}\n`);
  await chmod(file, 0o755);
  return folder;
}

const printf = `printf '${[...png].map((byte) => `\\${byte.toString(8).padStart(3, "0")}`).join("")}'`;

test.each([
  ["wl-paste", printf, { WAYLAND_DISPLAY: "wayland-0" }],
  ["xclip", printf, { DISPLAY: ":0" }],
  ["powershell.exe", `printf ${png.toString("base64")}`, { WSL_DISTRO_NAME: "Debian" }],
  ["osascript", `printf '«data PNGf${png.toString("hex").toUpperCase()}»\\n'`, {}],
])("%s is asked for the image", async (name, script, env) => {
  const PATH = await folderWith(name, script);
  const image = await withEnv({ ...env, PATH }, (services) => services.clipboardImage());
  expect(image).toMatchObject({ source: { data: png.toString("base64") } });
});

test("a program that fails means that there is no image; without one, the user is told", async () => {
  const PATH = await folderWith("xclip", "echo no image >&2; exit 1");
  const read = (env: Record<string, string>) =>
    withEnv({ PATH, ...env }, (services) => services.clipboardImage());
  expect(await read({ DISPLAY: ":0" })).toBeNull();
  await expect(read({})).rejects.toThrow("Install wl-clipboard or xclip.");
});
