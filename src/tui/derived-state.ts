/** What the screen knows from entries alone, and so knows again when a session is resumed. */

import { textOf } from "../protocol/block.ts";
import type { Entry, EntryId } from "../protocol/entry.ts";
import { appendEntry, type Item } from "./items.ts";
import { emptyList, itemsOf, last, push, type List } from "./list.ts";
import { todosIn } from "./todos.ts";
import type { TodoItem } from "./types.ts";

export type DerivedState = {
  /** Everything on the path, as the transcript shows it. */
  readonly items: List<Item>;
  readonly openCalls: ReadonlyMap<string, number>;
  /** The path, oldest first. */
  readonly path: List<Entry>;
  /** What rewinds left behind: to find the way back to a branch. */
  readonly branches: List<Entry>;
  /** Grows when entries are not just appended: the path was rewound. */
  readonly rewinds: number;
  readonly title: string | null;
  readonly model: string;
  readonly todos: readonly TodoItem[];
  /** Text of the last answer. */
  readonly lastAnswer: string;
};

export const emptyDerivedState = (model: string): DerivedState => ({
  items: emptyList(),
  openCalls: new Map(),
  path: emptyList(),
  branches: emptyList(),
  rewinds: 0,
  title: null,
  model,
  todos: [],
  lastAnswer: "",
});

/** The past with one more entry, which may go on from an earlier one or from another branch. */
export function withEntry(past: DerivedState, entry: Entry): DerivedState {
  const head = last(past.path)?.id ?? null;
  return append(entry.parent === head ? past : rewound(past, entry.parent), entry);
}

function append(past: DerivedState, entry: Entry): DerivedState {
  const { items, openCalls } = appendEntry(past, entry);
  const path = push(past.path, entry);
  switch (entry.type) {
    case "session":
    case "model":
      return { ...past, items, openCalls, path, model: entry.model };
    case "assistant": {
      const text = textOf(entry.content).trim();
      const lastAnswer = text === "" ? past.lastAnswer : text;
      return { ...past, items, openCalls, path, lastAnswer, todos: todosIn(entry) ?? past.todos };
    }
    case "note":
      if (entry.kind === "title") return { ...past, items, openCalls, path, title: entry.text };
      return { ...past, items, openCalls, path };
    default:
      return { ...past, items, openCalls, path };
  }
}

/** The past as of an earlier entry, or of one on another branch; null: before the first. */
function rewound(past: DerivedState, to: EntryId | null): DerivedState {
  const known = new Map([...itemsOf(past.branches), ...itemsOf(past.path)].map((e) => [e.id, e]));
  const way: Entry[] = [];
  for (let id = to; id !== null;) {
    const entry = known.get(id);
    if (entry === undefined) break;
    known.delete(id);
    way.push(entry);
    id = entry.parent;
  }
  const fresh: DerivedState = {
    ...emptyDerivedState(past.model),
    title: past.title,
    branches: [...known.values()].reduce<List<Entry>>(push, emptyList()),
    rewinds: past.rewinds + 1,
  };
  return way.reverse().reduce(append, fresh);
}
