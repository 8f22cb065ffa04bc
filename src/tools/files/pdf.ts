/** The pages of a PDF, as text or as images. Loaded with the first PDF: the library is PDFium as WebAssembly. */

// A program that imports the library checks these sources without our configuration.
// eslint-disable-next-line typescript/triple-slash-reference
/// <reference path="./wasm.d.ts" />

import { PDFiumLibrary } from "@hyzyla/pdfium";
import wasmFile from "@hyzyla/pdfium/pdfium.wasm" with { type: "file" };
import type { ResultBlock } from "../../protocol/block.ts";
import { errorMessage } from "../../base/in-words.ts";
import { takeStart } from "../../base/clip.ts";
import { ToolError } from "../tool.ts";
import { imageOf } from "./image.ts";

type Wanted = {
  /** From 1. */
  first: number;
  count: number;
  asImages: boolean;
  /** Of all text together. */
  maxChars: number;
};

/** Images cost far more than text. */
const maxImages = 5;

/** Reading ends after this time, in milliseconds: a page of a hostile file can take long. */
const patienceMs = 10_000;

/** Pixels for a point of the page, at most `maxSide` in all. */
const scale = 1.5;
const maxSide = 1_600;

/** A page with less text is most likely a scan. */
const fewChars = 20;

const library = await PDFiumLibrary.init({ wasmBinary: await Bun.file(wasmFile).arrayBuffer() });

type Page = ReturnType<Awaited<ReturnType<typeof library.loadDocument>>["getPage"]>;

/** Some pages, those without text as images; `last`: the last one shown. Throws `ToolError`. */
export async function readPdf(
  bytes: Uint8Array,
  { first, count, asImages, maxChars }: Wanted,
): Promise<{ content: ResultBlock[]; last: number; total: number }> {
  const document = await library.loadDocument(bytes).catch((error: unknown) => {
    throw new ToolError(`It cannot be read as a PDF (${errorMessage(error)}).`);
  });
  try {
    const total = document.getPageCount();
    const content: ResultBlock[] = [];
    const until = performance.now() + patienceMs;
    let [chars, images, last] = [0, 0, first - 1];
    for (let at = first; at <= Math.min(total, first + count - 1); at++) {
      if (last >= first && (performance.now() > until || chars >= maxChars || images >= maxImages))
        break;
      const page = document.getPage(at - 1);
      const text = page.getText().replaceAll("\r\n", "\n").trim();
      const isImage = asImages || text.length < fewChars;
      const shown = isImage ? text.slice(0, fewChars) : takeStart(text, maxChars - chars);
      content.push({
        type: "text",
        text: `[Page ${at} of ${total}]\n${asImages ? "" : shown}`.trim(),
      });
      if (isImage) {
        content.push(await imageOfPage(page));
        images += 1;
      }
      chars += shown.length;
      last = at;
    }
    return { content, last, total };
  } finally {
    document.destroy();
  }
}

async function imageOfPage(page: Page): Promise<ResultBlock> {
  const { originalWidth, originalHeight } = page.getOriginalSize();
  const fits = Math.min(scale, maxSide / Math.max(originalWidth, originalHeight, 1));
  const { data, width, height } = await page.render({ scale: fits, render: "bitmap" });
  const png = await new Bun.Image(bitmapFile(data, width, height)).png().bytes();
  return (await imageOf(png, "image/png")).block;
}

const headerBytes = 54;

/** Pixels as a BMP file, from which they can be encoded in other formats. */
function bitmapFile(rgba: Uint8Array, width: number, height: number): Uint8Array {
  const file = Buffer.alloc(headerBytes + rgba.length);
  file.write("BM", 0, "latin1");
  file.writeUInt32LE(file.length, 2);
  file.writeUInt32LE(headerBytes, 10);
  file.writeUInt32LE(40, 14);
  file.writeInt32LE(width, 18);
  // From the top down.
  file.writeInt32LE(-height, 22);
  file.writeUInt16LE(1, 26);
  file.writeUInt16LE(32, 28);
  file.writeUInt32LE(rgba.length, 34);
  for (let at = 0; at < rgba.length; at += 4) {
    file[headerBytes + at] = rgba[at + 2] ?? 0;
    file[headerBytes + at + 1] = rgba[at + 1] ?? 0;
    file[headerBytes + at + 2] = rgba[at] ?? 0;
    file[headerBytes + at + 3] = 255;
  }
  return file;
}
