import { Box } from "ink";
import type { ReactNode } from "react";
import { span, type Line } from "../line.ts";
import { fitHint, type ListRow, type PanelView } from "../panels/panel.ts";
import { useScreen } from "../screen-context.ts";
import { fit } from "../wrap.ts";
import { Field } from "./field.tsx";
import { LineText, LineTexts } from "./line.tsx";

/** A panel: a title in a rule, a list or a text, and what the keys do. */
export function Panel({ view }: { view: PanelView }): ReactNode {
  const { tabs, title, filter, body, hint, field } = view;
  const columns = useScreen(({ columns: all, gutter }) => all - 2 * gutter);
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

const Reader = ({ lines }: { lines: readonly Line[] }): ReactNode => (
  <Box flexDirection="column" flexShrink={0}>
    <LineTexts lines={lines} />
  </Box>
);
