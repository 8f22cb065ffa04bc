import { afterAll, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { homedir, tmpdir } from "node:os";
import { join, relative } from "node:path";
import { readImage } from "../../../src/tui/services/images.ts";

const root = mkdtempSync(join(tmpdir(), "images-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));

const heads = {
  "image/png": "\x89PNG\r\n\x1a\n",
  "image/jpeg": "\xff\xd8\xff\xe0",
  "image/gif": "GIF89a",
  "image/webp": "RIFF\x01\x02\x03\x04WEBPVP8 ",
};

async function file(name: string, content: Buffer | string): Promise<string> {
  const path = join(root, name);
  await writeFile(path, content);
  return path;
}

test.each(Object.entries(heads))("%s is known by its first bytes", async (type, head) => {
  const bytes = Buffer.from(`${head} and more`, "latin1");
  expect(await readImage(await file("image.dat", bytes))).toEqual({
    type: "image",
    source: { type: "base64", media_type: type, data: bytes.toString("base64") } as never,
  });
});

test("anything else is not an image", async () => {
  for (const text of ["", "text", "RIFF____WAVE", "xGIF8"])
    expect(await readImage(await file("other.png", text))).toBeNull();
});

test("what cannot be read is not an image", async () => {
  await mkdir(join(root, "folder.png"));
  const pipe = join(root, "pipe.png");
  Bun.spawnSync(["mkfifo", pipe]);
  for (const path of [join(root, "missing.png"), join(root, "folder.png"), pipe, "/dev/zero"])
    expect(await readImage(path)).toBeNull();
});

test("the largest image is the one whose base64 the API accepts", async () => {
  const bytes = (size: number): Buffer =>
    Buffer.concat([Buffer.from("GIF89a"), Buffer.alloc(size - 6)]);
  const limit = 3_932_160;
  const image = await readImage(await file("large.gif", bytes(limit)));
  expect(image?.source.data.length).toBe(5 * 1024 * 1024);
  expect(await readImage(await file("larger.gif", bytes(limit + 1)))).toBeNull();
});

test("~ is the home folder", async () => {
  const path = await file("home.gif", "GIF89a");
  const fromHome = relative(homedir(), path);
  expect(await readImage(`~/${fromHome}`)).not.toBeNull();
});
