import { Box, Text, Transform } from "ink";
import { type ReactNode, useEffect, useSyncExternalStore } from "react";
import { fit, type Line, span } from "../line.ts";
import { fitHint, type ListRow, type PanelView } from "../panels/panel.ts";
import { useScreen, useSource, useTheme } from "../screen-context.ts";
import { LineText, LineTexts, Rows } from "./line.tsx";
import TextInput from "ink-text-input";
import type { FieldView } from "../field.ts";

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

/** A text, of which the model gives the lines that are scrolled into view. */
const Reader = Rows;

/** A line to type into; keys reach it one at a time (`terminal/field-keys.ts`). */
export function Field({ view, columns }: { view: FieldView; columns: number }): ReactNode {
  const { field, label, placeholder, mask } = view;
  const cells = useSyncExternalStore(field.subscribe, () => field.cells);
  const { mounted } = useSource();
  const theme = useTheme();
  // Runs after the effects of <TextInput>, which listens for keys from then on.
  useEffect(() => mounted(field), [mounted, field]);
  const room = Math.max(1, columns - Bun.stringWidth(label));
  const show = (line: string): string => {
    const before = field.cells.slice(0, field.cursor);
    const text = mask === undefined ? field.toText(before) : mask.repeat(before.length);
    return around(field.toText(line), Bun.stringWidth(text), room);
  };
  return (
    <Box height={1} flexShrink={0}>
      <Text {...theme.props("accent")}>{label}</Text>
      <Box width={room} height={1} overflow="hidden">
        <Box width={Math.max(room, cells.length + 1)} flexShrink={0}>
          {/* For screen readers, Ink transforms only what is inside a text. */}
          <Text>
            <Transform transform={show}>
              <TextInput
                value={cells}
                placeholder={placeholder}
                onChange={(next) => field.edit(next)}
                {...(mask === undefined ? {} : { mask })}
              />
            </Transform>
          </Text>
        </Box>
      </Box>
    </Box>
  );
}

/** `room` columns of a long line, with the cursor's column in their middle unless an end is near. */
function around(line: string, cursor: number, room: number): string {
  const width = Bun.stringWidth(line);
  const from = Math.max(0, Math.min(cursor - Math.floor(room / 2), width - room));
  return width <= room ? line : Bun.sliceAnsi(line, from, from + room);
}
