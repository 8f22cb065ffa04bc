import { deflateSync } from "node:zlib";
import type { ImageBlock } from "../../src/protocol/block.ts";

/** A block with a black PNG of this size in pixels. */
export function png(width: number, height = 1): ImageBlock {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header[8] = 1;
  const rows = Buffer.alloc((Math.ceil(width / 8) + 1) * height);
  const bytes = Buffer.concat([
    Buffer.from("\x89PNG\r\n\x1a\n", "latin1"),
    chunk("IHDR", header),
    chunk("IDAT", deflateSync(rows)),
    chunk("IEND", Buffer.alloc(0)),
  ]);
  const data = bytes.toString("base64");
  return { type: "image", source: { type: "base64", media_type: "image/png", data } };
}

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, "latin1"), data]);
  const framed = Buffer.alloc(8);
  framed.writeUInt32BE(data.length, 0);
  framed.writeUInt32BE(Bun.hash.crc32(body), 4);
  return Buffer.concat([framed.subarray(0, 4), body, framed.subarray(4)]);
}
