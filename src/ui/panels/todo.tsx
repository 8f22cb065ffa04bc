import type { ReactNode } from "react";
import { hang } from "../painted-text.ts";
import { sanitizeLine } from "../sanitize.ts";
import { useScreen } from "../screen-context.ts";
import { span } from "../spans.ts";
import { usePanelSize } from "./panel-box.tsx";
import { TextPanel } from "./text-panel.tsx";

const signs = { pending: "☐", in_progress: "▸", completed: "☑" } as const;
const roles = { pending: "strong", in_progress: "accent", completed: "dim" } as const;

export function TodoPanel(): ReactNode {
  const todos = useScreen(({ store }) => store.state.todos);
  const { columns } = usePanelSize();
  const lines = todos.flatMap(({ content, status }) =>
    hang(`${signs[status]} `, sanitizeLine(content), columns).map((line) =>
      span(roles[status], line),
    ),
  );
  const shown = lines.length === 0 ? ["No todo list yet."] : lines;
  return <TextPanel title="Todo" hint="Esc close" lines={shown} />;
}
