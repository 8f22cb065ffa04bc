/** List panel: select an item with the arrows, or filter by typing. */

import { type ReactNode, useEffectEvent, useState } from "react";
import { AskedField, type AskedLine, Field, FieldModel } from "../components/field.tsx";
import { Rows } from "../components/line.tsx";
import { List } from "../components/list.tsx";
import { type InputEvent, toChord } from "../keys.ts";
import { wrapWords } from "../painted-text.ts";
import { type Line, plainText } from "../spans.ts";
import { useActions } from "../screen-context.ts";
import { useKeys } from "../use-keys.ts";
import { rowsAround } from "./list-rows.ts";
import { bestFirst, clamp, scrollStep, wordFilter } from "./navigation.ts";
import {
  BackContext,
  frameRows,
  PanelBox,
  type Tabs,
  useClose,
  usePanelSize,
} from "./panel-box.tsx";

/** Operations for a panel's own keys. */
export type ListControl = {
  close(): void;
  move(step: number): void;
  /** Moves, wrapping around at the ends. */
  turn(step: 1 | -1): void;
};

export type ListProps<T> = {
  title: string;
  hint: string;
  tabs?: Tabs;
  items: readonly T[];
  /** Sanitized lines of an item. Two leading spaces in the first line hold the selection mark. */
  lines(item: T, columns: number): readonly Line[];
  /** Shown when there are no items; an unmatched filter shows "No matches." instead. */
  empty?: string;
  /** Column headings. */
  header?: Line | null;
  /** Below the list. */
  footer?(chosen: T | undefined, columns: number): readonly Line[];
  /** Heading of the item's group; hidden while filtering, which sorts by match. */
  group?(item: T): string;
  /** Searchable text, name first; the item's lines by default. */
  text?(item: T): string;
  onChoose(item: NoInfer<T>, list: ListControl): void;
  /** Closes the whole panel before `onChoose`. */
  closes?: boolean;
  /** Additional keys, called with the selected item. Letters work only while no filter is typed. */
  keys?: Record<string, (item: T | undefined, list: ListControl) => void>;
  /** Whether typing filters immediately or only after "/". */
  filter?: "typing" | "slash";
  /** The caller filters, with the words from `onFilter`. */
  isFiltered?: boolean;
  query?: string;
  onFilter?(words: string): void;
  label?: string;
  placeholder?: string;
  /** Initially selected index; 0 by default. */
  start?: number;
  /** Text field below the list; takes the keys while open. */
  asked?: AskedLine | null | false;
} & (
  | { opened?: undefined; onBack?: undefined }
  /** Panel over this one, until Escape. */
  | { opened: ReactNode; onBack(): void }
);

export function ListPanel<T>(props: ListProps<T>): ReactNode {
  const { title, hint, tabs, lines, footer, header = null, opened = null } = props;
  const { filter = "typing", label = "Search", placeholder = "type to search" } = props;
  const asked = props.asked || null;
  const { columns, rows } = usePanelSize();
  const { show } = useActions();
  const close = useClose();
  /** null: the selection has not been moved. */
  const [at, setAt] = useState<number | null>(null);
  const [isFiltering, setFiltering] = useState(filter !== "slash");
  const input = useField(props.query, (words) => {
    setAt(null);
    props.onFilter?.(words);
  });
  const words = input.value;
  const items = props.isFiltered ? props.items : found(props, words, columns);
  const place = clamp(at ?? props.start ?? 0, items.length - 1);
  const chosen = items[place];

  const hasFilter = !asked && (isFiltering || words !== "");
  const above = (tabs ? 1 : 0) + (hasFilter ? 1 : 0);
  const outside = frameRows + above + (asked ? 1 : 0);
  const most = Math.max(0, rows - outside - Math.min(3, items.length + 1));
  const below = wrapped(footer?.(chosen, columns) ?? [], columns)
    .slice(0, most)
    // Drop a heading whose lines do not fit.
    .filter((line, index, { length }) => index < length - 1 || !plainText(line).endsWith(":"));
  const top = header !== null && items.length > 0 ? [header] : [];
  const room = Math.max(1, rows - outside - top.length - below.length);
  const isFound = words !== "";
  const group = isFound ? undefined : props.group;
  const shown = rowsAround(items, place, room, { columns, lines, group });
  const height = items[0] === undefined ? 1 : lines(items[0], columns).length;
  const page = Math.max(1, Math.floor(room / height));

  const control: ListControl = {
    close,
    move: (step) => setAt(clamp(place + step, items.length - 1)),
    turn: (step) => setAt((place + step + items.length) % Math.max(1, items.length)),
  };
  const choose = (): void => {
    if (chosen === undefined) return;
    if (props.closes) show(null);
    props.onChoose(chosen, control);
  };
  /** A click selects an item; a click on the selected item acts like Enter. */
  const click = (row: number, column: number): boolean => {
    const clicked = shown[row - above - 1 - top.length]?.item ?? null;
    if (tabs && row === 0) tabs.click(column);
    else if (clicked === null) return false;
    else if (clicked === place) choose();
    else setAt(clicked);
    return true;
  };
  /** Enter and Escape end a "/" filter. */
  const endFilter = (chord: string): boolean => {
    if (!isFiltering || filter !== "slash") return false;
    if (chord !== "enter" && chord !== "escape") return false;
    setFiltering(false);
    if (chord === "escape") input.clear();
    return true;
  };

  useKeys(
    (event: InputEvent) => {
      const step = scrollStep(event, page);
      if (event.type === "mouse" && step === null)
        return event.action === "press" && click(event.row, event.column);
      const chord = toChord(event);
      const isTyped = event.type === "key" && event.text !== "";
      const isFilter = isFiltering && (isTyped || filter === "slash");
      const own = (isFilter ? undefined : props.keys?.[chord]) ?? tabs?.keys[chord];
      if (step !== null) control.move(step);
      else if (endFilter(chord)) return true;
      else if (chord === "enter") choose();
      else if (own) own(chosen, control);
      else if (chord === "escape") close();
      else if (chord === "/" && !isFiltering) setFiltering(true);
      else return false;
      return true;
    },
    "panel",
    { isActive: opened === null && asked === null },
  );

  if (opened !== null) return <BackContext value={props.onBack ?? null}>{opened}</BackContext>;
  const isOwn = words === "" || props.isFiltered;
  const none = isOwn ? (props.empty ?? "") : "No matches.";
  const listed = items.length > 0 ? shown.map(({ row }) => row) : [{ line: none, isChosen: false }];
  return (
    <PanelBox
      title={title}
      hint={asked?.hint ?? hint}
      tabs={tabs}
      foot={asked && <AskedField line={asked} level="panel" columns={columns} />}
    >
      {hasFilter && (
        <Field
          view={{ field: input, label: `${label}: `, placeholder }}
          columns={columns}
          isActive={isFiltering}
        />
      )}
      <List rows={[...top.map((line) => ({ line, isChosen: false })), ...listed]} />
      <Rows lines={below} />
    </PanelBox>
  );
}

/** Items that match the filter. */
function found<T>({ items, lines, text }: ListProps<T>, words: string, columns: number) {
  if (words.trim() === "") return items;
  if (text) return bestFirst(words, items, text);
  const holds = wordFilter(words);
  return items.filter((item) => holds(lines(item, columns).map(plainText).join(" ")));
}

const wrapped = (lines: readonly Line[], columns: number): Line[] =>
  lines.flatMap((line): readonly Line[] =>
    typeof line === "string" ? wrapWords(line, columns) : [line],
  );

function useField(value: string | undefined, changed: (text: string) => void): FieldModel {
  const [, setText] = useState(value);
  const tell = useEffectEvent(changed);
  const [field] = useState(
    () =>
      new FieldModel(value, (text) => {
        setText(text);
        tell(text);
      }),
  );
  return field;
}
