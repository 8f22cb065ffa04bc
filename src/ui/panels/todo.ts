import type { Host } from "../host.ts";
import { span } from "../line.ts";
import { sanitizeLine } from "../sanitize.ts";
import type { PanelModel } from "./panel.ts";
import { readerPanel, textContent } from "./reader-panel.ts";

const signs = { pending: "☐", in_progress: "▸", completed: "☑" } as const;
const roles = { pending: "strong", in_progress: "accent", completed: "dim" } as const;

/** The todo list as the model last wrote it. */
export function todoPanel(host: Host): PanelModel {
  return readerPanel({
    content() {
      const { state } = host;
      const lines = state.todos.map(({ content, status }) =>
        span(roles[status], `${signs[status]} ${sanitizeLine(content)}`),
      );
      const shown = lines.length === 0 ? ["No todo list yet."] : lines;
      return textContent("Todo", "Esc close", shown);
    },
  });
}
