import type { Host } from "../host.ts";
import { sanitizeLine } from "../sanitize.ts";
import type { PanelModel } from "./panel.ts";
import { ReaderPanel, textContent } from "./reader-panel.ts";

const signs = { open: "☐", doing: "▸", done: "☑" } as const;
const roles = { open: "strong", doing: "accent", done: "dim" } as const;

/** The todo list as the model last wrote it. */
export function todoPanel(host: Host): PanelModel {
  return new ReaderPanel(host, {
    content() {
      const { state, theme } = host;
      const lines = state.todos.map((todo) =>
        theme.paint(roles[todo.state], `${signs[todo.state]} ${sanitizeLine(todo.text)}`),
      );
      const shown = lines.length === 0 ? ["No todo list yet."] : lines;
      return textContent("Todo", "Esc close", shown);
    },
  });
}
