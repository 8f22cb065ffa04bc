import { z } from "zod";
import type { ImageMediaType } from "../../protocol/block.ts";
import { errorMessage } from "../../base/in-words.ts";
import {
  judgedPath,
  textOutput,
  ToolError,
  touchesNothing,
  type Tool,
  type ToolOutput,
} from "../tool.ts";
import type { WorkspacePath } from "../workspace.ts";
import { fingerprint } from "./changed-files.ts";
import { decodeImage, detectImageType } from "./image.ts";
import { openFile } from "./judged-file.ts";
import description from "./read.md" with { type: "text" };
import { readPage, type FilePage } from "./page.ts";
import { filePath, stampFile, type FileAccess } from "./file-access.ts";
import { decodeText } from "./text.ts";

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
    async run({ file_path, offset = 1, limit = 2000, column = 1, images = false }, run) {
      const [manual, topic = ""] = manualPath.exec(file_path) ?? [];
      if (manual !== undefined) return textOutput(await readManual(topic));
      const file = files.workspace.at(judgedPath(run));
      await using opened = await openFile(file);
      const { hash, bytes } = await fingerprint(opened);
      const seen = files.seenFiles.lastSeen(file.path);
      const stamp = { path: file.path, hash, bytes: bytes?.length ?? Number(opened.stat.size) };
      const part = { first: offset, count: limit, maxChars: pageBytes };
      const whole = bytes && (await showWhole(file, bytes, { ...part, asImages: images }));
      if (whole) return { ...whole, stamps: [stampFile(files, { ...stamp, does: "read" })] };
      const cleaned = file.area === "results";
      const page = await readPage(bytes && !cleaned ? decoded(file, bytes) : opened.handle, {
        offset,
        limit,
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
        ...textOutput(changed + page.text + pageNote(page, offset)),
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
  const { text, ...shown } = readNotebook(decoded(file, bytes), part);
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

function decoded(file: WorkspacePath, bytes: Uint8Array): string {
  const content = decodeText(bytes);
  if (!content) throw new ToolError(binaryRefusal(file));
  return content.text;
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
