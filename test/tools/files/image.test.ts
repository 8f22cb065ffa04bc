import { afterAll, expect, test } from "bun:test";
import { homedir } from "node:os";
import { join, relative } from "node:path";
import type { ImageBlock, ImageMediaType } from "../../../src/protocol/block.ts";
import {
  imageInFile,
  decodeImage,
  detectImageType,
  shrinkImage,
} from "../../../src/tools/files/image.ts";
import { png } from "../../fake-api/png.ts";
import { leave, room } from "../room.ts";

afterAll(leave);

const pngBytes = (width: number, height = 1): Buffer =>
  Buffer.from(png(width, height).source.data, "base64");

/** Noise, which no format compresses. */
async function noise(width: number, height: number): Promise<Uint8Array> {
  const header = Buffer.from(`BM${"\0".repeat(52)}`, "latin1");
  const rowBytes = Math.ceil((width * 3) / 4) * 4;
  header.writeUInt32LE(54, 10);
  header.writeUInt32LE(40, 14);
  header.writeInt32LE(width, 18);
  header.writeInt32LE(height, 22);
  header.writeUInt16LE(1, 26);
  header.writeUInt16LE(24, 28);
  const pixels = Buffer.alloc(rowBytes * height);
  let state = 1;
  for (let at = 0; at < pixels.length; at += 1) {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    pixels[at] = state >>> 24;
  }
  return new Bun.Image(Buffer.concat([header, pixels])).png().bytes();
}

const gif = Buffer.from("R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7", "base64");
const webp = await new Bun.Image(pngBytes(60, 40)).webp().bytes();
const jpeg = await new Bun.Image(pngBytes(60, 40)).jpeg().bytes();

const decoded = ({ source }: ImageBlock) =>
  new Bun.Image(Buffer.from(source.data, "base64")).metadata();

test.each<[ImageMediaType, Uint8Array]>([
  ["image/png", pngBytes(2_000, 3)],
  ["image/gif", gif],
  ["image/webp", webp],
  ["image/jpeg", jpeg],
])("a whole %s is sent as it is", async (type, bytes) => {
  expect(detectImageType(bytes)).toBe(type);
  const { block, shrunkFrom } = await decodeImage(bytes, type);
  const data = Buffer.from(bytes).toString("base64");
  expect(block).toEqual({ type: "image", source: { type: "base64", media_type: type, data } });
  expect(shrunkFrom).toBeUndefined();
});

test.each<[ImageMediaType, Uint8Array]>([
  ["image/png", pngBytes(30, 30).subarray(0, 50)],
  ["image/gif", gif.subarray(0, 20)],
  ["image/webp", webp.subarray(0, 60)],
  ["image/jpeg", jpeg.subarray(0, 200)],
  ["image/png", pngBytes(30, 30).subarray(0, 12)],
])("a %s that is cut off is refused", async (type, bytes) => {
  expect(detectImageType(bytes)).toBe(type);
  await expect(decodeImage(bytes, type)).rejects.toThrow("damaged or incomplete");
});

test("a JPEG without its end is completed", async () => {
  const { block } = await decodeImage(jpeg.subarray(0, -2), "image/jpeg");
  expect(Buffer.from(block.source.data, "base64").toString("latin1")).toEndWith("\xff\xd9");
  expect(await decoded(block)).toMatchObject({ format: "jpeg", width: 60, height: 40 });
});

test.each([
  [2_001, 100, 2_000, 100],
  [100, 9_000, 22, 2_000],
])("%d by %d pixels are shrunk to %d by %d", async (width, height, newWidth, newHeight) => {
  const { block, ...size } = await decodeImage(pngBytes(width, height), "image/png");
  expect(size).toEqual({ width: newWidth, height: newHeight, shrunkFrom: { width, height } });
  expect(await decoded(block)).toMatchObject({ width: newWidth, height: newHeight });
});

test("an image of too many bytes is shrunk until it fits", async () => {
  const bytes = await noise(1_800, 1_000);
  expect(bytes.length).toBeGreaterThan(5_000_000);
  const { block, width } = await decodeImage(bytes, "image/png");
  expect(block.source.data.length).toBeLessThanOrEqual(5 * 1024 * 1024);
  expect(width).toBe(900);
});

test("a small file that claims a huge image is refused without decoding it", async () => {
  const bytes = pngBytes(10_000, 10_000);
  await expect(decodeImage(bytes, "image/png")).rejects.toThrow("50 million pixels");
});

test.each(["", "hello", "GIF9", "\x89PNG", "RIFF"])("%j is not an image", (text) => {
  expect(detectImageType(Buffer.from(text, "latin1"))).toBeNull();
});

test("an image in a file is found by its content", async () => {
  const at = await room();
  const path = at.put("image.dat", gif);
  const source = { type: "base64", media_type: "image/gif", data: gif.toString("base64") } as const;
  expect(await imageInFile(path)).toEqual({ type: "image", source });
  expect(await imageInFile(`~/${relative(homedir(), path)}`)).not.toBeNull();
});

test("something other than an image, a damaged or missing one, or no file gives none", async () => {
  const at = await room();
  const pipe = join(at.root, "pipe");
  Bun.spawnSync(["mkfifo", pipe]);
  for (const path of [
    at.put("text.png", "hello"),
    at.put("cut.gif", gif.subarray(0, 20)),
    join(at.root, "missing"),
    at.root,
    pipe,
    "/dev/zero",
  ])
    expect(await imageInFile(path)).toBeNull();
});

test("a copy is smaller, or there is none", async () => {
  const { block } = await decodeImage(await noise(200, 100), "image/png");
  const smaller = await shrinkImage(block, 50);
  expect(smaller && (await decoded(smaller))).toMatchObject({ width: 50, height: 25 });
  expect(await shrinkImage({ ...block, source: { ...block.source, data: "AAAA" } }, 50)).toBeNull();
  expect(await shrinkImage(png(1), 50)).toBeNull();
});
