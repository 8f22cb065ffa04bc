import { z } from "zod";
import { filePath } from "../inputs.ts";
import type { ImageMediaType } from "../../protocol/block.ts";
import type { FileStamp } from "../../protocol/entry.ts";
import { errorMessage } from "../../base/format.ts";
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
import { pageNote, readPage } from "./page.ts";
import { type FileAccess, stampFile } from "./file-access.ts";
import { type DecodedText, decodeText, encodingNote } from "./text.ts";
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
    description,
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
      const stamped = (output: ToolOutput, lines?: FileStamp["lines"]): ToolOutput => {
        const seen = stampFile(files, { ...stamp, does: "read", ...(lines && { lines }) });
        return { ...output, stamps: [seen] };
      };
      const special = bytes && (await showWhole(file, bytes, { ...part, asImages: images }));
      if (special) return stamped(special);
      const cleaned = file.area === "results";
      const whole = bytes && !cleaned ? decoded(file, bytes) : null;
      if (run.forScript) {
        const text = whole?.text ?? cleanOutput(bytes?.toString() ?? "");
        const lines = offset > 1 || limit !== undefined ? pickLines(text, offset, limit) : text;
        if (!bytes || Buffer.byteLength(lines) > maxScriptBytes)
          throw new ToolError(tooLarge(file, stamp.bytes, bytes !== null));
        return stamped(textOutput(lines));
      }
      const limits = { offset, limit: limit ?? pageLines, maxBytes: pageBytes, cleaned, column };
      const page = await readPage(whole?.text ?? opened.handle, limits);
      if (page === null) throw new ToolError(binaryRefusal(file));
      const changed = seen !== undefined && seen !== hash ? changedNote : "";
      const notes = changed + (whole ? encodingNote(whole) : "");
      const output = textOutput(notes + page.text + pageNote(page, offset));
      return stamped(output, page.whole ? undefined : [page.first, page.last]);
    },
  };
}

const changedNote = "[This file changed on disk since you last saw it.]\n";

const pageLines = 2_000;

/** Limit for a result that goes to a script. */
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
