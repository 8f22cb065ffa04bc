import type { EntryOf } from "../../../src/protocol/entry.ts";
import type { ToolUseBlock } from "../../../src/protocol/block.ts";
import type { Theme } from "../../../src/ui/theme.ts";
import { Builder, call } from "../../context/build.ts";
import { stage } from "../stage.ts";

type CallOptions = {
  name?: string;
  input?: ToolUseBlock["input"];
  result?: Partial<EntryOf<"result">>;
  columns?: number;
  theme?: Theme;
  isOpen?: boolean;
};

/** The rows of a call with this output in the transcript, from its title on. */
export function callRows(text: string, options: CallOptions = {}): string[] {
  const { name = "Bash", input = { command: "make" }, columns = 80, isOpen = false } = options;
  const built = new Builder();
  built.user("Do it.");
  built.answer([call("c", name, input)]);
  built.add({
    type: "result",
    toolUse: "c",
    tool: name,
    content: [{ type: "text", text }],
    bytes: text.length,
    lines: text.split("\n").length,
    ...options.result,
  });
  const on = stage(built, { nowMs: built.nowMs, ...(options.theme && { theme: options.theme }) });
  const item = on.store.state.items.at(-1);
  if (isOpen && item) on.store.dispatch({ type: "toggle", key: item.key });
  const { lines } = on.controller.transcript.frame(columns, 600);
  return lines.slice(lines.findIndex((line) => /[●✗]/.test(line)));
}

/** The same without styles and trailing spaces, and without the second that a call takes. */
export const plainRows = (text: string, options?: CallOptions): string[] =>
  callRows(text, options).map((line) =>
    Bun.stripANSI(line)
      .trimEnd()
      .replace(/(?: ·)? 1\.0 s$/, ""),
  );

/** How a call ended: the right end of its row. */
export const outcome = (text: string, options?: CallOptions): string =>
  /(?: {2,})(.*)$/.exec(plainRows(text, { columns: 120, ...options })[0] ?? "")?.[1] ?? "";
