/** List panel: select an item with the arrows, or filter by typing. */

import { Box } from "ink";
import { type ReactNode, useRef, useState } from "react";
import { AskedField, type AskedLine, editorOf, Field } from "../components/field.tsx";
import { LineText, Rows } from "../components/line.tsx";
import { type InputEvent, toChord } from "../keys.ts";
import { fit, pad, wrapWords } from "../painted-text.ts";
import { type Editor, emptyEditor } from "../prompt/editor.ts";
import { useActions } from "../screen-context.ts";
import { type Line, plainText, span } from "../spans.ts";
import { useKeys } from "../use-keys.ts";
import { bestFirst, clamp, scrollStep, wordFilter } from "./navigation.ts";
import {
  BackContext,
  frameRows,
  PanelBox,
  type Tabs,
  useClose,
  usePanelSize,
} from "./panel-box.tsx";

type ListProps<T> = {
  title: string;
  hint: string;
  tabs?: Tabs;
  items: readonly T[];
  /** Sanitized lines of an item. Two leading spaces in the first line hold the selection mark. */
  lines(item: T, columns: number): readonly Line[];
  /** Shown when there are no items; an unmatched filter shows "No matches." instead. */
  empty?: string;
  /** Below the list. */
  footer?(chosen: T | undefined, columns: number): readonly Line[];
  /** Heading of the item's group; hidden while filtering, which sorts by match. */
  group?(item: T): string;
  /** Searchable text, name first; the item's lines by default. */
  text?(item: T): string;
  onChoose(item: NoInfer<T>): void;
  /** Closes the whole panel before `onChoose`. */
  closes?: boolean;
  /** Additional keys; `move` moves the selection. Letters work only while no filter is typed. */
  keys?: Record<string, (item: T | undefined, move: (step: number) => void) => void>;
  /** Whether typing filters immediately or only after "/". */
  filter?: "typing" | "slash";
  query?: string;
  /** Makes the caller the filter: called with the words. */
  onFilter?(words: string): void;
  label?: string;
  placeholder?: string;
  /** Index selected while nothing is typed; 0 by default. */
  start?: number;
  /** Text field below the list; takes the keys while open. */
  asked?: AskedLine | null | false;
} & (
  | { opened?: undefined; onBack?: undefined }
  /** Panel over this one, until Escape. */
  | { opened: ReactNode; onBack(): void }
);

export function ListPanel<T>(props: ListProps<T>): ReactNode {
  const { title, hint, tabs, lines, opened = null } = props;
  const { filter = "typing", label = "Search", placeholder = "type to search" } = props;
  const asked = props.asked || null;
  const { columns, rows } = usePanelSize();
  const { show } = useActions();
  const close = useClose();
  /** null: the selection has not been moved. */
  const [at, setAt] = useState<number | null>(null);
  const [isFiltering, setFiltering] = useState(filter !== "slash");
  const [editor, setEditor] = useState(() => editorOf(props.query ?? ""));
  const words = editor.text;
  const edit = (next: Editor): void => {
    setEditor(next);
    if (next.text === words) return;
    setAt(null);
    props.onFilter?.(next.text);
  };
  const items = props.onFilter ? props.items : found(props, words, columns);
  const place = clamp(at ?? (words === "" ? (props.start ?? 0) : 0), items.length - 1);
  const chosen = items[place];

  const hasFilter = !asked && (isFiltering || words !== "");
  const above = (tabs ? 1 : 0) + (hasFilter ? 1 : 0);
  const outside = frameRows + above + (asked ? 1 : 0);
  const footer = props.footer?.(chosen, columns) ?? [];
  const below = useFooter(footer, columns, rows - outside - Math.min(3, items.length + 1));
  const room = Math.max(1, rows - outside - below.length);
  const group = words === "" ? props.group : undefined;
  const shown = rowsAround(items, place, room, { columns, lines, group });
  const height = items[0] === undefined ? 1 : lines(items[0], columns).length;
  const page = Math.max(1, Math.floor(room / height));

  const move = (step: number): void => setAt(clamp(place + step, items.length - 1));
  const choose = (): void => {
    if (chosen === undefined) return;
    if (props.closes) show(null);
    props.onChoose(chosen);
  };
  /** A click selects an item; a click on the selected item acts like Enter. */
  const click = (row: number, column: number): boolean => {
    const clicked = shown[row - above - 1]?.item ?? null;
    if (tabs && row === 0) tabs.click(column);
    else if (clicked === null) return false;
    else if (clicked === place) choose();
    else setAt(clicked);
    return true;
  };

  useKeys(
    (event: InputEvent) => {
      const step = scrollStep(event, page);
      if (event.type === "mouse" && step === null)
        return event.action === "press" && click(event.row, event.column);
      const chord = toChord(event);
      const isTyped = event.type === "key" && event.text !== "";
      const isSlash = isFiltering && filter === "slash";
      const own = isSlash || (isFiltering && isTyped) ? undefined : props.keys?.[chord];
      const open = own ?? tabs?.keys[chord];
      if (step !== null) move(step);
      else if (isSlash && (chord === "enter" || chord === "escape")) {
        setFiltering(false);
        if (chord === "escape") edit(emptyEditor);
      } else if (chord === "enter") choose();
      else if (open) open(chosen, move);
      else if (chord === "escape") close();
      else if (chord === "/" && !isFiltering) setFiltering(true);
      else return false;
      return true;
    },
    "panel",
    { isActive: opened === null && asked === null },
  );

  if (opened !== null) return <BackContext value={props.onBack ?? null}>{opened}</BackContext>;
  const isOwn = words === "" || props.onFilter !== undefined;
  const none = { item: null, line: isOwn ? (props.empty ?? "") : "No matches." };
  return (
    <PanelBox
      title={title}
      hint={asked?.hint ?? hint}
      tabs={tabs}
      foot={asked && <AskedField line={asked} level="panel" columns={columns} />}
    >
      {hasFilter && (
        <Field
          editor={editor}
          onEdit={edit}
          label={`${label}: `}
          placeholder={placeholder}
          columns={columns}
          isActive={isFiltering}
        />
      )}
      <List rows={items.length > 0 ? shown : [none]} />
      <Rows lines={below} />
    </PanelBox>
  );
}

/** `item`: its index; null for a heading. */
type ListRow = { item: number | null; line: Line; isChosen?: boolean };

const List = ({ rows }: { rows: readonly ListRow[] }): ReactNode => (
  <Box flexDirection="column" flexShrink={0} aria-role="listbox">
    {rows.map(({ line, isChosen = false }, index) => (
      <Box key={index} aria-role="option" aria-state={{ selected: isChosen }}>
        <LineText line={isChosen ? span("selected", plainText(line)) : line} />
      </Box>
    ))}
  </Box>
);

/** Footer lines, at least as many as before: a panel that changes its height is laid out twice. */
function useFooter(footer: readonly Line[], columns: number, most: number): readonly Line[] {
  const tallest = useRef(0);
  const lines = footer
    .flatMap((line): readonly Line[] =>
      typeof line === "string" ? wrapWords(line, columns) : [line],
    )
    .slice(0, Math.max(0, most))
    // Drop a heading whose lines do not fit.
    .filter((line, index, { length }) => index < length - 1 || !plainText(line).endsWith(":"));
  tallest.current = Math.min(Math.max(0, most), Math.max(tallest.current, lines.length));
  return Array.from({ length: tallest.current }, (_, index) => lines[index] ?? "");
}

/** Items that match the filter. */
function found<T>({ items, lines, text }: ListProps<T>, words: string, columns: number) {
  if (words.trim() === "") return items;
  if (text) return bestFirst(words, items, text);
  const holds = wordFilter(words);
  return items.filter((item) => holds(lines(item, columns).map(plainText).join(" ")));
}

type Layout<T> = {
  columns: number;
  lines(item: T, columns: number): readonly Line[];
  group: ((item: T) => string) | undefined;
};

/** At most `room` rows of items and headings around the selected item. */
function rowsAround<T>(
  all: readonly T[],
  chosen: number,
  room: number,
  { columns, lines, group }: Layout<T>,
): ListRow[] {
  const from = Math.max(0, chosen - room);
  const rows = all.slice(from, chosen + room + 1).flatMap((each, offset): ListRow[] => {
    const item = from + offset;
    const before = all[item - 1];
    const heading = group?.(each);
    const isFirst = before === undefined || group?.(before) !== heading;
    return [
      ...(heading !== undefined && isFirst ? [{ item: null, line: span("heading", heading) }] : []),
      ...lines(each, columns).map((line, index) =>
        item === chosen && index === 0
          ? { item, line: markChosen(line, columns), isChosen: true }
          : { item, line },
      ),
    ];
  });
  const first = rows.findIndex(({ item }) => item === chosen);
  const tall = rows.filter(({ item }) => item === chosen).length;
  const top = clamp(first - Math.floor((room - tall) / 2), rows.length - room);
  return rows.slice(top, top + room);
}

/** The selected item's first line, padded to the full width and marked in the margin. */
const markChosen = (line: Line, columns: number): string =>
  pad(fit(plainText(line).replace(/^ {2}/, "❯ "), columns), columns);
