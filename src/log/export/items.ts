import type { Block } from "../../protocol/block.ts";
import type { Entry } from "../../protocol/entry.ts";

/** One thing on a page that shows a session: what it is, and its text. */
export type ExportItem = {
  kind: "user" | "assistant" | "thinking" | "call" | "result" | "aside";
  heading: string;
  text: string;
  /** The text is prose, which may be set as such; else it is output, shown as it stands. */
  prose: boolean;
};

export type ExportPage = { title: string; about: [string, string][]; items: ExportItem[] };

/** A path as people read it. */
export function pageOf(path: readonly Entry[]): ExportPage {
  const session = path.find((entry) => entry.type === "session");
  const title = path.findLast((entry) => entry.type === "note" && entry.kind === "title");
  const first = path[0];
  return {
    title: title?.type === "note" ? title.text : `Session ${session?.session ?? ""}`.trim(),
    about: [
      ["Folder", session?.cwd ?? "unknown"],
      ["Model", session?.model ?? "unknown"],
      ["Began", first?.at ?? "unknown"],
      ["Ended", path.at(-1)?.at ?? "unknown"],
    ],
    items: path.flatMap(itemsOf),
  };
}

function itemsOf(entry: Entry): ExportItem[] {
  switch (entry.type) {
    case "user":
      return [item("user", "You", textOfAll(entry.content), true)];
    case "context":
      return [item("aside", `Context: ${entry.title}`, textOfAll(entry.content))];
    case "assistant":
      return entry.content.flatMap((block) => itemsOfBlock(block, entry.model));
    case "result":
      return [
        item(
          "result",
          `Result of ${entry.tool}${entry.isError ? ", an error" : ""} (${entry.bytes} bytes)`,
          entry.file === undefined
            ? textOfAll(entry.content)
            : `${textOfAll(entry.content)}\n[All of it: ${entry.file}]`,
        ),
      ];
    case "cut":
      return [
        item("aside", `Compaction: ${entry.tier}`, [entry.reason, ...covers(entry)].join("\n\n")),
      ];
    case "restore":
      return [item("aside", `Compaction ${entry.cut} taken back`, "")];
    case "model":
      return [item("aside", `Model: ${entry.model}`, "")];
    case "note":
      return entry.kind === "title" ? [] : [item("aside", `Note: ${entry.kind}`, entry.text)];
    case "unknown":
      return [item("aside", "An entry of a later version", "")];
    case "session":
    case "pin":
    case "checkpoint":
    case "count":
    case "head":
      return [];
  }
}

function itemsOfBlock(block: Block, model: string): ExportItem[] {
  switch (block.type) {
    case "text":
      return block.text.trim() === "" ? [] : [item("assistant", model, block.text, true)];
    case "thinking":
      return block.thinking.trim() === "" ? [] : [item("thinking", "Thinking", block.thinking)];
    case "tool_use":
      return [item("call", `Call of ${block.name}`, JSON.stringify(block.input, null, 2))];
    default:
      return [];
  }
}

const covers = (entry: Extract<Entry, { type: "cut" }>): string[] =>
  entry.changes.flatMap((change) =>
    change.kind === "cover" ? [change.text, change.kept ?? ""].filter((text) => text !== "") : [],
  );

const item = (
  kind: ExportItem["kind"],
  heading: string,
  text: string,
  prose = false,
): ExportItem => ({
  kind,
  heading,
  text,
  prose,
});

const textOfAll = (blocks: readonly Block[]): string =>
  blocks
    .map((block) =>
      block.type === "text"
        ? block.text
        : block.type === "image"
          ? `[${block.source.media_type}]`
          : "",
    )
    .join("\n");
