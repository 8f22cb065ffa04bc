/** The pages of a PDF, as text or as images. Loaded with the first PDF: the library is PDFium as WebAssembly. */

// A program that imports the library checks these sources without our configuration.
// eslint-disable-next-line typescript/triple-slash-reference
/// <reference path="./wasm.d.ts" />

import wasmFile from "@hyzyla/pdfium/pdfium.wasm" with { type: "file" };
import { resolve } from "node:path";
import { z } from "zod";
import type { ResultBlock } from "../../protocol/block.ts";
import { isCompiled } from "../../base/installed.ts";
import { errorMessage } from "../../base/format.ts";
import { takeStart } from "../../base/clip.ts";
import { parseJson } from "../../base/guards.ts";
import { splitStream } from "../../base/split-stream.ts";
import { ToolError } from "../tool.ts";
import { decodeImage } from "./image.ts";

const wanted = z.object({
  /** From 1. */
  first: z.number(),
  count: z.number(),
  asImages: z.boolean(),
  /** Limit for the text of all pages. */
  maxChars: z.number(),
});

type PdfRequest = z.infer<typeof wanted>;

/** A line of the process that reads: a page, or why there is none. */
const lineSchema = z.union([
  z.object({ page: z.number(), total: z.number(), text: z.string(), png: z.string().optional() }),
  z.object({ problem: z.string() }),
]);

type PdfLine = z.infer<typeof lineSchema>;

/** Images cost far more than text. */
const maxImages = 5;

/** No page is begun after this time, and the process ends after that, in milliseconds. */
const patienceMs = 10_000;
const limitMs = 30_000;

/** Limit for PDFium's heap. */
const maxMemoryBytes = 512 * 1024 * 1024;

/** Pixels for a point of the page, at most `maxSide` in all. */
const scale = 1.5;
const maxSide = 1_600;

/** A page with less text is most likely a scan. */
const fewChars = 20;

/** The first argument of the program when it is to read a PDF. */
const pagesOfPdf = "--pages-of-pdf";

const bun = ["--no-env-file", "--config=/dev/null", "--tsconfig-override=/dev/null"];
const self = isCompiled(import.meta.path) ? [] : [...bun, import.meta.path];
const reader = [process.execPath, ...self, pagesOfPdf];

/**
 * Some pages, those without text as images; `last`: the last one shown. A separate process reads
 * them, since a hostile file can keep PDFium busy for ever, which only ending a process stops. Throws
 * `ToolError`.
 */
export async function readPdf(
  bytes: Uint8Array,
  pages: PdfRequest,
): Promise<{ content: ResultBlock[]; last: number; total: number }> {
  const child = Bun.spawn([...reader, JSON.stringify(pages)], {
    stdin: bytes,
    stdout: "pipe",
    stderr: "ignore",
    // Windows starts nothing without this one.
    env: { SystemRoot: process.env["SystemRoot"] },
    timeout: limitMs,
    killSignal: "SIGKILL",
  });
  const content: ResultBlock[] = [];
  let [last, total] = [pages.first - 1, 0];
  try {
    for await (const line of splitStream(child.stdout)) {
      const read = lineSchema.safeParse(parseJson(line)).data;
      if (read === undefined) break;
      if ("problem" in read) {
        // The pages before it count.
        if (content.length > 0) break;
        throw new ToolError(`Cannot be read as a PDF (${read.problem}).`);
      }
      total = read.total;
      if (read.page === 0) continue;
      content.push({ type: "text", text: read.text });
      if (read.png !== undefined)
        content.push((await decodeImage(Buffer.from(read.png, "base64"), "image/png")).block);
      last = read.page;
    }
  } finally {
    child.kill("SIGKILL");
  }
  if (total === 0 || (content.length === 0 && pages.first <= total))
    throw new ToolError("Cannot be read as a PDF (it takes too long or too much memory).");
  return { content, last, total };
}

/** Page 0 tells how many there are. */
async function writePages(
  bytes: Uint8Array,
  { first, count, asImages, maxChars }: PdfRequest,
  say: (line: PdfLine) => void,
): Promise<void> {
  const library = await openLibrary();
  const document = await library.loadDocument(bytes);
  const total = document.getPageCount();
  say({ page: 0, total, text: "" });
  const until = performance.now() + patienceMs;
  let [chars, images] = [0, 0];
  for (let at = first; at <= Math.min(total, first + count - 1); at++) {
    if (at > first && (performance.now() > until || images >= maxImages)) break;
    const page = document.getPage(at - 1);
    const text = page.getText().replaceAll("\r\n", "\n").trim();
    const isImage = asImages || text.length < fewChars;
    const shown = isImage ? text.slice(0, fewChars) : takeStart(text, maxChars);
    if (at > first && chars + shown.length > maxChars) break;
    say({
      page: at,
      total,
      text: `[Page ${at} of ${total}]\n${asImages ? "" : shown}`.trim(),
      ...(isImage && { png: await renderPng(page) }),
    });
    if (isImage) images += 1;
    chars += shown.length;
  }
}

/** PDFium, which gets no more memory than it may have. */
async function openLibrary() {
  const { PDFiumLibrary } = await import("@hyzyla/pdfium");
  // In a bundle it is named from the folder of this module.
  const binary = await Bun.file(resolve(import.meta.dir, wasmFile)).arrayBuffer();
  return PDFiumLibrary.init({
    instantiateWasm(imports, done) {
      const env = imports["env"] ?? {};
      const resize = env["emscripten_resize_heap"];
      env["emscripten_resize_heap"] = (size: number): unknown =>
        size <= maxMemoryBytes && typeof resize === "function" ? resize(size) : 0;
      const instance = new WebAssembly.Instance(new WebAssembly.Module(binary), imports);
      done(instance);
      return instance.exports;
    },
  });
}

type PdfPage = ReturnType<
  Awaited<ReturnType<Awaited<ReturnType<typeof openLibrary>>["loadDocument"]>>["getPage"]
>;

async function renderPng(page: PdfPage): Promise<string> {
  const { originalWidth, originalHeight } = page.getOriginalSize();
  const fits = Math.min(scale, maxSide / Math.max(originalWidth, originalHeight, 1));
  const { data, width, height } = await page.render({ scale: fits, render: "bitmap" });
  const png = await new Bun.Image(bitmapFile(data, width, height)).png().bytes();
  return Buffer.from(png).toString("base64");
}

const headerBytes = 66;

/** Pixels as a BMP file, from which they can be encoded in other formats. */
function bitmapFile(rgba: Uint8Array, width: number, height: number): Uint8Array {
  const header = Buffer.alloc(headerBytes);
  header.write("BM", "latin1");
  header.writeUInt8(headerBytes, 10);
  header.writeUInt8(40, 14);
  header.writeInt32LE(width, 18);
  // From the top down.
  header.writeInt32LE(-height, 22);
  header.writeUInt8(1, 26);
  header.writeUInt8(32, 28);
  // Red, green and blue are where these masks say.
  header.writeUInt8(3, 30);
  header.writeUInt32LE(0xff, 54);
  header.writeUInt32LE(0xff_00, 58);
  header.writeUInt32LE(0xff_00_00, 62);
  return Buffer.concat([header, rgba]);
}

// At the end of the module: uses the constants above.
if (process.argv[2] === pagesOfPdf) {
  const say = (line: PdfLine): void => void process.stdout.write(`${JSON.stringify(line)}\n`);
  const bytes = new Uint8Array(await Bun.stdin.arrayBuffer());
  await writePages(bytes, wanted.parse(parseJson(process.argv[3] ?? "")), say).catch(
    (error: unknown) => say({ problem: errorMessage(error) }),
  );
}
