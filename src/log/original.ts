import { textOf } from "../protocol/block.ts";
import type { Entry } from "../protocol/entry.ts";
import { openPages, pagesOf } from "./paged-text.ts";

/** An entry's full text in pages; a result kept in a file is read from there. */
export async function openOriginal(entry: Entry): ReturnType<typeof openPages> {
  switch (entry.type) {
    case "result":
      return entry.file === undefined ? pagesOf(textOf(entry.content)) : openPages(entry.file);
    case "user":
    case "context":
    case "assistant":
      return pagesOf(textOf(entry.content));
    default:
      return pagesOf(JSON.stringify(entry, null, 2));
  }
}
