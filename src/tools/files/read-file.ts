import { z } from "zod";
import { filePath } from "../inputs.ts";
import type { ImageMediaType } from "../../protocol/block.ts";
import { errorMessage } from "../../base/in-words.ts";
import {
  judgedPath,
  textOutput,
  type Tool,
  ToolError,
  type ToolOutput,
  touchesNothing,
} from "../tool.ts";
import type { WorkspacePath } from "../workspace.ts";
import { fingerprint } from "./changed-files.ts";
import { decodeImage, detectImageType } from "./image.ts";
import { openFile } from "./judged-file.ts";
import { type FileAccess, stampFile } from "./file-access.ts";
import { type DecodedText, decodeText, encodingNote } from "./text.ts";
import type { FileHandle } from "node:fs/promises";
import { takeEnd, takeStart } from "../../base/clip.ts";
import { cleanOutput } from "../shell/clean-output.ts";
import description from "./read.md" with { type: "text" };

const input = z.strictObject({
  file_path: filePath,
  offset: z.number().int().min(1).optional().describe("First line, page or cell, from 1."),
  limit: z.number().int().min(1).optional().describe("How many; 2000 lines by default."),
  column: z.number().int().min(1).optional().describe("Where to continue a line that was cut."),
  images: z.boolean().optional().describe("PDF pages as images."),
});

/** Reads text in pages with line numbers, and images as images. `pageBytes` is the size of a page. */
export function readFileTool(files: FileAccess, pageBytes: number): Tool<z.infer<typeof input>> {
  return {
    name: "Read",
    description: description.trim(),
    schema: input,
    readOnly: true,
    async intent({ file_path }) {
      if (manualPath.test(file_path)) return touchesNothing(`Read ${file_path}`);
      const file = await files.workspace.locate(file_path);
      return {
        access: { kind: "read", path: file.path },
        title: `Read ${file.shown}`,
        detail: file.path,
      };
    },
    async run({ file_path, offset = 1, limit, column = 1, images = false }, run) {
      const [manual, topic = ""] = manualPath.exec(file_path) ?? [];
      if (manual !== undefined) return textOutput(await readManual(topic));
      const file = files.workspace.at(judgedPath(run));
      await using opened = await openFile(file);
      const { hash, bytes } = await fingerprint(opened);
      const seen = files.seenFiles.lastSeen(file.path);
      const stamp = { path: file.path, hash, bytes: bytes?.length ?? Number(opened.stat.size) };
      const part = { first: offset, count: limit ?? pageLines, maxChars: pageBytes };
      const special = bytes && (await showWhole(file, bytes, { ...part, asImages: images }));
      if (special) return { ...special, stamps: [stampFile(files, { ...stamp, does: "read" })] };
      const cleaned = file.area === "results";
      const whole = bytes && !cleaned ? decoded(file, bytes) : null;
      if (run.forScript) {
        const text = whole?.text ?? cleanOutput(bytes?.toString() ?? "");
        const lines = offset > 1 || limit !== undefined ? pickLines(text, offset, limit) : text;
        if (!bytes || Buffer.byteLength(lines) > maxScriptBytes)
          throw new ToolError(tooLarge(file, stamp.bytes, bytes !== null));
        return { ...textOutput(lines), stamps: [stampFile(files, { ...stamp, does: "read" })] };
      }
      const page = await readPage(whole?.text ?? opened.handle, {
        offset,
        limit: limit ?? pageLines,
        maxBytes: pageBytes,
        cleaned,
        column,
      });
      if (page === null) throw new ToolError(binaryRefusal(file));
      const changed =
        seen !== undefined && seen !== hash
          ? "[This file changed on disk since you last saw it.]\n"
          : "";
      return {
        ...textOutput(
          changed + (whole ? encodingNote(whole) : "") + page.text + pageNote(page, offset),
        ),
        stamps: [
          stampFile(files, {
            ...stamp,
            does: "read",
            ...(!page.whole && { lines: [page.first, page.last] }),
          }),
        ],
      };
    },
  };
}

const pageLines = 2_000;

/** Of a result that a script is given. */
export const maxScriptBytes = 8 * 1024 ** 2;

const tooLarge = ({ shown }: WorkspacePath, bytes: number, hasParts: boolean): string =>
  `${shown} has ${bytes.toLocaleString("en")} bytes, and a script reads 8 MB at once; ${hasParts ? "give offset and limit, or " : ""}use grep or bash.`;

/** Lines as they are, with their ends. */
const pickLines = (text: string, offset: number, limit = Infinity): string =>
  text
    .split(/(?<=\n)/)
    .slice(offset - 1, offset - 1 + limit)
    .join("");

/** The program's own manual is in no file: a compiled program and every sandbox have it. */
const manualPath = /^mini-claude:help(?:\/(.*))?$/;

async function readManual(topic: string): Promise<string> {
  const { findTopic, topicList } = await import("../../docs/topics.ts");
  if (topic === "") return `Topics, each read as mini-claude:help/TOPIC:\n${topicList}`;
  try {
    return findTopic(topic).text;
  } catch (error) {
    throw new ToolError(errorMessage(error));
  }
}

type PdfPart = { first: number; count: number; maxChars: number; asImages: boolean };

/** An image, a PDF or a notebook; null for any other file. Throws `ToolError`. */
async function showWhole(file: WorkspacePath, bytes: Buffer, part: PdfPart) {
  const image = detectImageType(bytes);
  if (image) return showImage(file, bytes, image);
  if (/\.pdf$/i.test(file.path)) {
    // Only loaded for the first PDF.
    const { readPdf } = await import("./pdf.ts");
    const { content, ...shown } = await readPdf(bytes, part).catch((error) => fail(file, error));
    const note = partNote("Page", { first: part.first, ...shown }).trim();
    return { content: note === "" ? content : [...content, ...textOutput(note).content] };
  }
  if (!/\.ipynb$/i.test(file.path)) return null;
  const { readNotebook } = await import("./notebook.ts");
  const { text, ...shown } = readNotebook(decoded(file, bytes).text, part);
  return textOutput(text + partNote("Cell", { first: part.first, ...shown }));
}

/** Names the file in the failure. */
function fail({ shown }: WorkspacePath, error: unknown): never {
  throw error instanceof ToolError ? new ToolError(`${shown}: ${error.message}`) : error;
}

/** Where to continue; empty when all is shown. */
function partNote(
  what: "Page" | "Cell",
  { first, last, total }: { first: number; last: number; total: number },
): string {
  if (last < first) return `[${what} ${first} is past the end: there are ${total}.]`;
  if (last >= total) return "";
  return `\n[${what}s ${first}-${last} of ${total}. Continue with offset ${last + 1}.]`;
}

function decoded(file: WorkspacePath, bytes: Uint8Array): DecodedText {
  const content = decodeText(bytes);
  if (!content) throw new ToolError(binaryRefusal(file));
  return content;
}

const binaryRefusal = (file: WorkspacePath): string =>
  `${file.shown} is a binary file and cannot be shown as text; use Bash with a program that reads its format.`;

function pageNote(page: FilePage, offset: number): string {
  if (page.empty) return "[The file is empty.]";
  if (page.last < page.first) {
    return `[Line ${offset} is past the end: the file has ${page.total} lines.]`;
  }
  if (page.total === page.last) return page.first === 1 ? "" : "\n[End of the file.]";
  const of = page.total === null ? "" : ` of ${page.total}`;
  return `\n[Lines ${page.first}-${page.last}${of}. Continue with offset ${page.last + 1}.]`;
}

async function showImage(
  file: WorkspacePath,
  bytes: Buffer,
  type: ImageMediaType,
): Promise<ToolOutput> {
  const { block, width, height, shrunkFrom } = await decodeImage(bytes, type).catch((error) =>
    fail(file, error),
  );
  const shrunk = shrunkFrom ? `, shrunk from ${shrunkFrom.width}x${shrunkFrom.height}` : "";
  const text = `Image ${file.shown} (${type}, ${width}x${height} pixels${shrunk}):`;
  return { content: [{ type: "text", text }, block], bytes: bytes.length };
}

export type FilePage = NonNullable<Awaited<ReturnType<typeof readPage>>>;

type PageLimits = {
  offset: number;
  limit: number;
  maxBytes: number;
  /** For output of programs: escape sequences and null bytes are cleaned, not refused. */
  cleaned: boolean;
  /** The first character shown of each line, from 1. */
  column: number;
};

const manyLinesChars = 2_000;

/** Of a line that is read alone. */
const oneLineChars = 20_000;
const pieceBytes = 64 * 1024;

const from = (line: string, column: number): string =>
  column === 1 ? line : takeEnd(line, Math.max(0, line.length - column + 1));

/** Null when the file turns out to be binary. */
export async function readPage(
  source: string | FileHandle,
  { offset, limit, maxBytes, cleaned, column }: PageLimits,
) {
  const shownChars = limit === 1 || column > 1 ? oneLineChars : manyLinesChars;
  const maxLineChars = column - 1 + shownChars;
  const shown: string[] = [];
  let lines = 0;
  let shownBytes = 0;
  let isCut = false;
  /** Later lines cannot be on the page. */
  let isFull = false;

  function addLine(raw: string): void {
    lines += 1;
    isFull ||= shown.length >= limit;
    if (isFull || lines < offset) return;
    const plain = raw.endsWith("\r") ? raw.slice(0, -1) : raw;
    const line = cleaned ? cleanOutput(plain) : plain;
    const isLong = line.length > maxLineChars;
    const rest = from(takeStart(line, maxLineChars), column);
    const body = isLong
      ? `${rest} [line cut here; column ${column + rest.length} continues it]`
      : rest;
    const text = `${String(lines).padStart(6)}\t${body}`;
    const bytes = Buffer.byteLength(text) + 1;
    isFull = shown.length > 0 && shownBytes + bytes > maxBytes;
    if (isFull) return;
    isCut ||= isLong;
    shownBytes += bytes;
    shown.push(text);
  }

  function page(counted: boolean) {
    const last = offset + shown.length - 1;
    return {
      text: shown.join("\n"),
      /** Numbers of the lines shown, from 1. `last` < `first` if there are none. */
      first: offset,
      last,
      /** Lines of the whole file; null if not counted because the file is large. */
      total: counted ? lines : null,
      whole: counted && offset === 1 && last === lines && !isCut && column === 1,
      empty: counted && lines === 0,
    };
  }

  if (typeof source === "string") {
    let start = 0;
    for (let end = source.indexOf("\n"); end !== -1; end = source.indexOf("\n", start)) {
      addLine(source.slice(start, end));
      start = end + 1;
    }
    if (start < source.length) addLine(source.slice(start));
    return page(true);
  }
  const piece = Buffer.allocUnsafe(pieceBytes);
  const decoder = new TextDecoder();
  let line = "";
  for (let at = 0; !isFull;) {
    const { bytesRead } = await source.read(piece, 0, pieceBytes, at);
    if (bytesRead === 0) {
      if (line !== "") addLine(line);
      return page(true);
    }
    at += bytesRead;
    const bytes = piece.subarray(0, bytesRead);
    if (!cleaned && bytes.includes(0)) return null;
    const found = decoder.decode(bytes, { stream: true }).split("\n");
    // The part of a long line that no page shows is dropped.
    line = takeStart(line, maxLineChars + 1);
    found[0] = line + (found[0] ?? "");
    line = found.pop() ?? "";
    for (const text of found) addLine(text);
  }
  return page(false);
}
