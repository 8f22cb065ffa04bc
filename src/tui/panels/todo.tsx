import { sanitiseLine } from "../sanitise.ts";
import type { PanelProps } from "../types.ts";
import { Frame } from "./frame.tsx";
import { useScrolling } from "./scrolling.ts";

const signs = { open: "☐", doing: "▸", done: "☑" } as const;

/** The todo list as the model last wrote it. */
export function TodoPanel({ state, theme, columns, rows }: PanelProps) {
  const lines = state.todos.map(({ text, state: is }) =>
    theme.paint(
      is === "done" ? "dim" : is === "doing" ? "accent" : "strong",
      `${signs[is]} ${sanitiseLine(text)}`,
    ),
  );
  const from = useScrolling(lines.length, rows);
  const shown = lines.length === 0 ? ["There is no todo list yet."] : lines;
  return (
    <Frame
      title="Todo"
      hint="Esc closes"
      lines={shown}
      from={from}
      rows={rows}
      columns={columns}
      theme={theme}
    />
  );
}
