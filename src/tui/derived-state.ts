/** The part of the state that follows from entries alone; a resumed session rebuilds it. */

import { textOf } from "../protocol/block.ts";
import type { Entry, EntryId } from "../protocol/entry.ts";
import { appendEntry, type Item, type Turn } from "./items.ts";
import { emptyList, itemsOf, last, push, type List } from "./list.ts";
import { todosIn, type TodoItem } from "./todos.ts";

export type DerivedState = {
  /** Everything on the path, as the transcript shows it. */
  readonly items: List<Item>;
  readonly openCalls: ReadonlyMap<string, number>;
  /** When the user last answered a question (ISO 8601); empty: never. */
  readonly answeredAt: string;
  /** The turn in progress; null: none, or it has ended. */
  readonly turn: Turn | null;
  /** The path, oldest first. */
  readonly path: List<Entry>;
  /** Entries that rewinds took off the path. */
  readonly branches: List<Entry>;
  readonly title: string | null;
  readonly model: string;
  readonly todos: readonly TodoItem[];
  /** Text of the last answer. */
  readonly lastAnswer: string;
};

export const emptyDerivedState = (model: string): DerivedState => ({
  items: emptyList(),
  openCalls: new Map(),
  answeredAt: "",
  turn: null,
  path: emptyList(),
  branches: emptyList(),
  title: null,
  model,
  todos: [],
  lastAnswer: "",
});

/** The state with one more entry, which may continue an earlier one or another branch. */
export function withEntry(state: DerivedState, entry: Entry): DerivedState {
  const head = last(state.path)?.id ?? null;
  return append(entry.parent === head ? state : rewound(state, entry.parent), entry);
}

function append(state: DerivedState, entry: Entry): DerivedState {
  const { items, openCalls, answeredAt, turn } = appendEntry(state, entry);
  const grown = { ...state, items, openCalls, answeredAt, turn, path: push(state.path, entry) };
  switch (entry.type) {
    case "session":
    case "model":
      return { ...grown, model: entry.model };
    case "assistant": {
      const text = textOf(entry.content).trim();
      const lastAnswer = text === "" ? state.lastAnswer : text;
      return { ...grown, lastAnswer, todos: todosIn(entry) ?? state.todos };
    }
    case "note":
      return entry.kind === "title" ? { ...grown, title: entry.text } : grown;
    default:
      return grown;
  }
}

/** The state as of an earlier entry or one on another branch; null: before the first entry. */
function rewound(state: DerivedState, to: EntryId | null): DerivedState {
  const known = new Map([...itemsOf(state.branches), ...itemsOf(state.path)].map((e) => [e.id, e]));
  const line: Entry[] = [];
  for (let id = to; id !== null;) {
    const entry = known.get(id);
    if (entry === undefined) break;
    known.delete(id);
    line.push(entry);
    id = entry.parent;
  }
  const fresh: DerivedState = {
    ...emptyDerivedState(state.model),
    title: state.title,
    branches: [...known.values()].reduce<List<Entry>>(push, emptyList()),
  };
  return line.reverse().reduce(append, fresh);
}
