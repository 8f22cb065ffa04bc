import { Box } from "ink";
import type { ReactNode } from "react";
import { fit, type Line, span } from "../line.ts";
import { fitHint, type ListRow, type PanelView } from "../panels/panel.ts";
import { useColumns } from "../screen-context.ts";
import { Field } from "./field.tsx";
import { LineText, LineTexts, Rows } from "./line.tsx";

/** A panel: a title in a rule, a list or a text, and what the keys do. */
export function Panel({ view }: { view: PanelView }): ReactNode {
  const { tabs, title, filter, body, hint, field } = view;
  const columns = useColumns();
  return (
    <Box flexDirection="column" flexShrink={0}>
      {tabs !== undefined && <LineText line={tabs} />}
      <Title text={title} columns={columns} />
      {filter && <Field view={filter} columns={columns} />}
      {body.kind === "list" ? <List {...body} /> : <Reader lines={body.lines} />}
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

type ListProps = { rows: readonly ListRow[]; footer: readonly Line[] };

/** Rows of which one is chosen, and lines below them. */
const List = ({ rows, footer }: ListProps): ReactNode => (
  <Box flexDirection="column" flexShrink={0} aria-role="listbox">
    {rows.map(({ line, isChosen }, index) => (
      <Box key={index} aria-role="option" aria-state={{ selected: isChosen }}>
        <LineText line={isChosen && typeof line === "string" ? span("selected", line) : line} />
      </Box>
    ))}
    <LineTexts lines={footer} />
  </Box>
);

/** A text, of which the model gives the lines that are scrolled into view. */
const Reader = Rows;
