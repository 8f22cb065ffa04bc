import { afterAll, expect, test } from "bun:test";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { chmod, readFile, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { editText, pageText } from "../../../src/app/services/programs.ts";

const root = mkdtempSync(join(tmpdir(), "programs-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));

/** A program that runs `script` with a file as $1. */
async function program(name: string, script: string): Promise<string> {
  const file = join(root, name);
  await writeFile(file, `#!/bin/sh\n${script}\n`);
  await chmod(file, 0o755);
  return file;
}

const path = { PATH: "/usr/bin:/bin" };
const upper = await program("upper", 'tr a-z A-Z <"$1" >"$1.new" && mv "$1.new" "$1"');
const lines = await program("lines", 'printf "%s\\n\\n" "$MARK" >"$1"');

test("VISUAL comes before EDITOR", async () => {
  const missing = join(root, "missing");
  expect(await editText("text", { ...path, VISUAL: upper, EDITOR: missing })).toBe("TEXT");
  expect(await editText("text", { ...path, EDITOR: upper })).toBe("TEXT");
});

test("an empty or blank variable counts as not set", async () => {
  expect(await editText("text", { ...path, VISUAL: "", EDITOR: upper })).toBe("TEXT");
  expect(await editText("text", { ...path, VISUAL: " ", EDITOR: upper })).toBe("TEXT");
});

test("arguments come before the file; the last newline is the editor's, not the user's", async () => {
  const sh = await program("arguments", '[ "$1" = --wait ] && echo "waited" >"$2"');
  expect(await editText("", { ...path, EDITOR: `${sh} --wait` })).toBe("waited");
  expect(await editText("", { ...path, EDITOR: lines, MARK: "kept" })).toBe("kept\n");
});

test("a failing editor leaves the prompt unchanged and no file behind", async () => {
  const where = join(root, "where");
  const failing = await program("failing", `printf %s "$1" >${where}; exit 3`);
  await expect(editText("text", { ...path, EDITOR: failing })).rejects.toThrow(
    "exited with 3; the prompt is unchanged",
  );
  expect(existsSync(await readFile(where, "utf8"))).toBe(false);
  await expect(editText("text", { ...path, EDITOR: join(root, "missing") })).rejects.toThrow(
    `“${join(root, "missing")}” could not be started`,
  );
});

test("the text is in a private file and folder, complete before the program starts", async () => {
  const seen = join(root, "seen");
  const look = await program(
    "look",
    `stat -c %a "$1" "$(dirname "$1")" >${seen}; cat "$1" >>${seen}`,
  );
  await editText("the text", { ...path, EDITOR: look });
  expect(await readFile(seen, "utf8")).toBe("600\n700\nthe text");
});

test("the pager gets the whole text", async () => {
  const shown = join(root, "shown");
  const pager = await program("pager", `cat "$1" >${shown}`);
  await pageText("all of it\n", { ...path, PAGER: pager });
  expect(await readFile(shown, "utf8")).toBe("all of it\n");
});
