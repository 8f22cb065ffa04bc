import { afterAll, expect, test } from "bun:test";
import { randomBytes } from "node:crypto";
import { homedir } from "node:os";
import { join, relative } from "node:path";
import type { ImageBlock, ImageMediaType } from "../../../src/protocol/block.ts";
import { folders, openServices } from "../../app/services/open.ts";
import { say, startFakeApi, toBlocks } from "../../fake-api/index.ts";
import { png } from "../../fake-api/png.ts";
import { leave, room } from "../room.ts";

afterAll(leave);

const pngBytes = (width: number, height = 1): Buffer =>
  Buffer.from(png(width, height).source.data, "base64");

/** Noise, which no format compresses. */
async function noise(width: number, height: number): Promise<Uint8Array> {
  const header = Buffer.from(`BM${"\0".repeat(52)}`, "latin1");
  const rowBytes = Math.ceil((width * 3) / 4) * 4;
  header.set([54, 0, 0, 0, 40], 10);
  header.writeInt32LE(width, 18);
  header.writeInt32LE(height, 22);
  header.set([1, 0, 24], 26);
  return new Bun.Image(Buffer.concat([header, randomBytes(rowBytes * height)])).png().bytes();
}

const gif = Buffer.from("R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7", "base64");
const webp = await new Bun.Image(pngBytes(60, 40)).webp().bytes();
const jpeg = await new Bun.Image(pngBytes(60, 40)).jpeg().bytes();

const decoded = ({ source }: ImageBlock) =>
  new Bun.Image(Buffer.from(source.data, "base64")).metadata();

/** A file with these bytes, as Read shows it. */
async function shown(bytes: Uint8Array) {
  const at = await room();
  at.put("it", bytes);
  const [first, block] = (await at.run("Read", { file_path: "it" })).content;
  const image = block?.type === "image" ? block : null;
  return { text: first?.type === "text" ? first.text : "", image };
}

test.each<[ImageMediaType, Uint8Array, string]>([
  ["image/png", pngBytes(2_000, 3), "2000x3"],
  ["image/gif", gif, "1x1"],
  ["image/webp", webp, "60x40"],
  ["image/jpeg", jpeg, "60x40"],
])("a whole %s is sent as it is", async (type, bytes, size) => {
  const data = Buffer.from(bytes).toString("base64");
  expect(await shown(bytes)).toEqual({
    text: `Image it (${type}, ${size} pixels):`,
    image: { type: "image", source: { type: "base64", media_type: type, data } },
  });
});

test.each<[ImageMediaType, Uint8Array]>([
  ["image/png", pngBytes(30, 30).subarray(0, 50)],
  ["image/gif", gif.subarray(0, 20)],
  ["image/webp", webp.subarray(0, 60)],
  ["image/jpeg", jpeg.subarray(0, 200)],
  ["image/png", pngBytes(30, 30).subarray(0, 12)],
])("a %s that is cut off is refused", async (_, bytes) => {
  expect((await shown(bytes)).text).toStartWith("it: The image is damaged or incomplete");
});

test("a JPEG without its end is completed", async () => {
  const { text, image } = await shown(jpeg.subarray(0, -2));
  expect(text).toBe("Image it (image/jpeg, 60x40 pixels):");
  expect(image?.source.media_type).toBe("image/jpeg");
  expect(Buffer.from(image?.source.data ?? "", "base64").toString("latin1")).toEndWith("\xff\xd9");
  expect(image && (await decoded(image))).toMatchObject({ format: "jpeg", width: 60, height: 40 });
});

test.each([
  [2_001, 100, 2_000, 100],
  [100, 9_000, 22, 2_000],
])("%d by %d pixels are shrunk to %d by %d", async (width, height, newWidth, newHeight) => {
  const { text, image } = await shown(pngBytes(width, height));
  expect(text).toContain(`${newWidth}x${newHeight} pixels, shrunk from ${width}x${height})`);
  expect(image && (await decoded(image))).toMatchObject({ width: newWidth, height: newHeight });
});

test("an image of too many bytes is shrunk until it fits", async () => {
  const { text, image } = await shown(await noise(1_400, 1_000));
  expect(text).toContain("(image/png, 700x500 pixels, shrunk from 1400x1000)");
  expect(image?.source.data.length).toBeLessThanOrEqual(5 * 1024 * 1024);
});

test("an image whose color profile alone is too large is refused", async () => {
  const profile = Array.from({ length: 61 }, (_, at) => {
    const part = Buffer.alloc(0xffff + 2);
    part.set([0xff, 0xe2, 0xff, 0xff]);
    part.write("ICC_PROFILE\0", 4, "latin1");
    part.set([at + 1, 61], 16);
    return part;
  });
  const bytes = Buffer.concat([jpeg.subarray(0, 2), ...profile, jpeg.subarray(2)]);
  expect((await shown(bytes)).text).toContain("cannot be made small enough");
});

test("a small file that claims a huge image is refused without decoding it", async () => {
  expect((await shown(pngBytes(10_000, 10_000))).text).toContain("50 million pixels");
});

test.each(["", "hello", "GIF9", "\x89PNG", "RIFF"])("%j is not an image", async (text) => {
  expect((await shown(Buffer.from(text, "latin1"))).text).not.toContain("mage");
});

test("a file named in a prompt is an image by its content; anything else gives none", async () => {
  const at = await room();
  const { services } = await openServices({ ...folders("image")(), args: ["--offline"] });
  const path = at.put("image.dat", gif);
  const source = { type: "base64", media_type: "image/gif", data: gif.toString("base64") } as const;
  expect(await services.readImage(path)).toEqual({ type: "image", source });
  expect(await services.readImage(`~/${relative(homedir(), path)}`)).not.toBeNull();
  const pipe = join(at.root, "pipe");
  Bun.spawnSync(["mkfifo", pipe]);
  for (const other of [
    at.put("text.png", "hello"),
    at.put("cut.gif", gif.subarray(0, 20)),
    join(at.root, "missing"),
    at.root,
    pipe,
    "/dev/zero",
  ])
    expect(await services.readImage(other)).toBeNull();
});

test("after a refusal for its bytes, older images are sent smaller, if that makes them smaller", async () => {
  const api = startFakeApi();
  api.next({ status: 413, message: "Request exceeds the maximum size" }, say("ok"));
  const env = { ANTHROPIC_API_KEY: "sk-ant-test", ANTHROPIC_BASE_URL: api.url };
  const { send, events } = await openServices({ ...folders("shrink")(), env });
  const made = (bytes: Uint8Array): ImageBlock => {
    const source = { ...png(1).source, data: Buffer.from(bytes).toString("base64") };
    return { type: "image", source };
  };
  const large = made(await noise(2_000, 200));
  const damaged = made(pngBytes(30, 30).fill(0, 44, 48));
  send({ type: "prompt", content: [png(1), damaged, large, png(10)] });
  for (let step = await events.next(); !step.done; step = await events.next())
    if (step.value.type === "idle") break;
  const sent = (api.bodies.at(-1)?.messages ?? [])
    .flatMap(toBlocks)
    .flatMap((block) => (block.type === "image" ? [block] : []));
  expect(sent).toMatchObject([png(1), damaged, { type: "image" }, png(10)]);
  expect(sent[2] && (await decoded(sent[2]))).toMatchObject({ width: 1_024, height: 102 });
  await api.stop();
});
