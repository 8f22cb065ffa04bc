import type { Block } from "../../protocol/block.ts";
import type { Entry } from "../../protocol/entry.ts";

/** One item of an exported session. */
export type ExportItem = {
  kind: "user" | "assistant" | "thinking" | "call" | "result" | "info";
  heading: string;
  text: string;
  /** True for prose, which may be formatted; false for output, which is shown as is. */
  prose: boolean;
};

type ExportHead = { title: string; about: [string, string][] };

/** The title and the facts at the top of an exported session. */
export function headOf(path: readonly Entry[]): ExportHead {
  const session = path.find((entry) => entry.type === "session");
  const title = path.findLast((entry) => entry.type === "note" && entry.kind === "title");
  const first = path[0];
  return {
    title: title?.type === "note" ? title.text : `Session ${session?.session ?? ""}`.trim(),
    about: [
      ["Folder", session?.cwd ?? "unknown"],
      ["Model", session?.model ?? "unknown"],
      ["Started", first?.at ?? "unknown"],
      ["Ended", path.at(-1)?.at ?? "unknown"],
    ],
  };
}

/** The items of an entry, as readable text. */
export function itemsOf(entry: Entry): ExportItem[] {
  switch (entry.type) {
    case "user":
      return [item("user", "You", textOfAll(entry.content), true)];
    case "context":
      return [item("info", `Context: ${entry.title}`, textOfAll(entry.content))];
    case "assistant":
      return entry.content.flatMap((block) => itemsOfBlock(block, entry.model));
    case "result":
      return [
        item(
          "result",
          `${entry.isError ? "Error" : "Result"} of ${entry.tool} (${entry.bytes} bytes)`,
          entry.file === undefined
            ? textOfAll(entry.content)
            : `${textOfAll(entry.content)}\n[Full output: ${entry.file}]`,
        ),
      ];
    case "cut":
      return [
        item("info", `Compaction: ${entry.tier}`, [entry.reason, ...covers(entry)].join("\n\n")),
      ];
    case "restore":
      return [item("info", `Compaction ${entry.cut} undone`, "")];
    case "model":
      return [item("info", `Model: ${entry.model}`, "")];
    case "note":
      return entry.kind === "title" ? [] : [item("info", `Note: ${entry.kind}`, entry.text)];
    case "unknown":
      return [item("info", "An entry from a later version", "")];
    case "session":
    case "pin":
    case "checkpoint":
    case "count":
    case "refresh":
    case "attempt":
    case "repair":
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
      return [item("call", `Call ${block.name}`, JSON.stringify(block.input, null, 2))];
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
