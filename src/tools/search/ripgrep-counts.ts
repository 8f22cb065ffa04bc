/** What ripgrep prints with `--null`: paths that end with a zero byte, and with `--count` a number and a line break. */

import { join } from "node:path";
import type { FoundFile, SearchQuery } from "./matches.ts";

type Output = ReadableStream<Uint8Array>;

/** The files with a match and how many lines match, with `--count`. */
export async function* readCounts(output: Output, query: SearchQuery): AsyncGenerator<FoundFile> {
  let path: string | null = null;
  for await (const parts of partsOf(output))
    for (const part of parts) {
      // Names may contain line breaks, but numbers end with the first.
      const end = path === null ? -1 : part.indexOf("\n");
      // Without a line break, the number is incomplete.
      if (end !== -1 && path !== null) {
        const matches = Number(part.slice(0, end));
        yield { path: join(query.folder, path), lines: [], matches };
      }
      path = part.slice(end + 1);
    }
}

/** The files, with `--files-with-matches`. */
export async function* readPaths(output: Output, query: SearchQuery): AsyncGenerator<string> {
  for await (const parts of partsOf(output))
    for (const part of parts) if (part !== "") yield join(query.folder, part);
}

/** The parts between zero bytes, in groups as they arrive. */
async function* partsOf(output: Output): AsyncGenerator<string[]> {
  const decoder = new TextDecoder();
  let rest = "";
  for await (const chunk of output) {
    const parts = (rest + decoder.decode(chunk, { stream: true })).split("\0");
    rest = parts.pop() ?? "";
    yield parts;
  }
  yield [rest];
}
