/**
 * Tier 0 on disk: a large result is on disk in full before its preview is used. Files are never overwritten;
 * two results of the same millisecond get two names.
 */

import { constants } from "node:fs";
import { chmod, mkdir, open, rm, type FileHandle } from "node:fs/promises";
import { join } from "node:path";
import { countLines, cutMiddle } from "../base/clip.ts";
import { disk, syncFolder, writeAll } from "../base/durable.ts";
import { isBinary, preview } from "../context/tiers/persist.ts";
import { blockText, type ResultBlock } from "../protocol/block.ts";
import type { Policy } from "../protocol/policy.ts";
import type { ToolOutcome, ToolOutput } from "./tool.ts";
import { describeError } from "./workspace.ts";

export type ResultPolicy = Pick<Policy, "persistBytes" | "previewLines" | "previewChars">;

/** The longest result that is sent in full, in characters: of a longer one, head and tail. */
export const maxResultChars = 50_000;

type ResultName = { ms: number; tool: string; id: string };

/** Creates an empty file in `dir` that only its owner can read. */
export async function createResult(
  dir: string,
  { ms, tool, id }: ResultName,
): Promise<{ file: string; handle: FileHandle }> {
  await mkdir(dir, { recursive: true, mode: 0o700 });
  await chmod(dir, 0o700);
  const stem = `${ms}-${plain(tool)}-${plain(id)}`;
  for (let again = 1; ; again += 1) {
    const file = join(dir, again === 1 ? `${stem}.txt` : `${stem}-${again}.txt`);
    try {
      const flags = constants.O_CREAT | constants.O_EXCL | constants.O_RDWR | constants.O_APPEND;
      return { file, handle: await open(file, flags, 0o600) };
    } catch (error) {
      if (describeError(error) !== "EEXIST") throw error;
    }
  }
}

/** Writes `text` to a new result file and returns its path. */
export async function persist(dir: string, name: ResultName, text: string): Promise<string> {
  const { file, handle: opened } = await createResult(dir, name);
  await using handle = opened;
  try {
    await writeAll(handle.fd, Buffer.from(text));
    await disk.fdatasync(handle.fd);
  } catch (error) {
    await rm(file, { force: true });
    throw error;
  }
  syncFolder(dir);
  return file;
}

/** Persists a large result and returns it as it goes into the log. Never throws. */
export async function persistLarge(
  output: ToolOutput,
  name: ResultName,
  dir: string,
  policy: ResultPolicy,
): Promise<ToolOutcome> {
  const { content: whole, file: written, opens: _, ...given } = output;
  const text = blockText(whole);
  const images = whole.filter((block) => block.type === "image");
  const withImages = (shown: string): ResultBlock[] => [{ type: "text", text: shown }, ...images];
  const { bytes = sumSizes(whole), lines = countLines(text) } = given;
  const rest = { ...given, bytes, lines };
  const textBytes = Buffer.byteLength(text);
  if (written !== undefined || (textBytes <= policy.persistBytes && !isBinary(text))) {
    const isLong = text.length > maxResultChars;
    const content = isLong ? withImages(cutMiddle(text, maxResultChars)) : whole;
    return { content, ...(written !== undefined && { file: written }), ...rest };
  }
  try {
    const file = await persist(dir, name, text);
    const short = preview({ file, bytes: textBytes, lines }, { head: text }, policy);
    // The title alone can be longer than the text.
    const shown = short.length < text.length ? short : text;
    return { content: withImages(shown), file, ...rest };
  } catch (error) {
    const warning = `[The full result could not be saved (${describeError(error)}).]\n`;
    const short = cutMiddle(text, policy.persistBytes);
    return { content: withImages(warning + short), ...rest };
  }
}

const sumSizes = (content: readonly ResultBlock[]): number =>
  content.reduce((bytes, block) => bytes + countBytes(block), 0);

const countBytes = (block: ResultBlock): number =>
  block.type === "text"
    ? Buffer.byteLength(block.text)
    : Math.floor((block.source.data.length * 3) / 4);

const plain = (name: string): string => name.replace(/[^\w-]/g, "_").slice(0, 60) || "x";
