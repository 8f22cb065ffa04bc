import { expect, test } from "bun:test";
import fc from "../properties.ts";
import { basename, bytesOfPath, dirname, textOfPath } from "../../src/base/path-bytes.ts";

test("a name of any bytes can be written down and opened again", () => {
  const piece = fc.oneof(
    fc.uint8Array({ maxLength: 4 }),
    fc.string({ unit: "binary" }).map((text) => new TextEncoder().encode(text.toWellFormed())),
  );
  fc.assert(
    fc.property(fc.array(piece), (pieces) => {
      const bytes = Buffer.concat(pieces);
      expect(Buffer.from(bytesOfPath(textOfPath(bytes)))).toEqual(bytes);
    }),
  );
});

test.each([
  [[0x61, 0xc3, 0xa9], "aé"],
  [[0x61, 0xff, 0xe2, 0x82, 0xac, 0xf0, 0x9f, 0x99, 0x82], "a\udcff€🙂"],
  [[0x80, 0xc3], "\udc80\udcc3"],
  [[0xef, 0xbb, 0xbf, 0xfe], "\ufeff\udcfe"],
])("%j is %j", (bytes, text) => {
  expect(textOfPath(Buffer.from(bytes))).toBe(text);
});

test("a lone surrogate that stands for no byte becomes what an encoder makes of it", () => {
  for (const text of ["\ud800", "\udc00", "\udd00"])
    expect(bytesOfPath(text)).toEqual(Buffer.from("\ufffd"));
});

test.each([
  ["/a/b", "/a", "b"],
  ["/a", "/", "a"],
  ["/a/\udcff", "/a", "\udcff"],
])("%j has the folder %j and the name %j", (path, folder, name) => {
  expect([dirname(path), basename(path)]).toEqual([folder, name]);
});
