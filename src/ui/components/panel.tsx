import { Box } from "ink";
import type { ReactNode } from "react";
import { fit } from "../painted-text.ts";
import { span } from "../spans.ts";
import { fitHint, type PanelView } from "../panels/panel.ts";
import { useColumns } from "../look.ts";
import { Field } from "./field/field.tsx";
import { LineText, Rows } from "./line.tsx";
import { List } from "./list.tsx";

/** A panel: a title in a rule, a list or a text, and what the keys do. */
export function Panel({ view }: { view: PanelView }): ReactNode {
  const { tabs, title, filter, rows, lines, hint, field } = view;
  const columns = useColumns();
  return (
    <Box flexDirection="column" flexShrink={0}>
      {tabs !== undefined && <LineText line={tabs} />}
      <Title text={title} columns={columns} />
      {filter && <Field view={filter} columns={columns} />}
      {rows.length > 0 && <List rows={rows} />}
      <Reader lines={lines} />
      <LineText line={span("dim", fitHint(hint, columns))} />
      {field && <Field view={field} columns={columns} />}
    </Box>
  );
}

function Title({ text, columns }: { text: string; columns: number }): ReactNode {
  const head = `── ${text} `;
  const rule = head + "─".repeat(Math.max(0, columns - Bun.stringWidth(head)));
  return (
    <Box aria-label={text}>
      <LineText line={span("boundary", fit(rule, columns))} />
    </Box>
  );
}

/** A text, of which the model gives the lines that are scrolled into view. */
const Reader = Rows;
