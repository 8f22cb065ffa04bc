/** The part of the state that follows from entries alone; a resumed session rebuilds it. */

import { textOf } from "../protocol/block.ts";
import type { Entry, EntryId } from "../protocol/entry.ts";
import { todosOf, type Todo } from "../protocol/todo.ts";
import { addEntry, type Draft, type Transcript } from "./items.ts";
import { emptyList, itemsOf, last, push, type List } from "./list.ts";
import { packEntries, packItems, type Find } from "./packed.ts";

export type DerivedState = Transcript & {
  /** The path, oldest first. */
  readonly path: List<Entry>;
  /** Entries that rewinds removed from the path. */
  readonly branches: List<Entry>;
  readonly title: string | null;
  readonly model: string;
  readonly todos: readonly Todo[];
  /** Text of the last answer. */
  readonly lastAnswer: string;
};

/** `find` reads old entries back from the log; without it, all of them stay in memory. */
export const emptyDerivedState = (model: string, find?: Find): DerivedState => ({
  items: emptyList(find && packItems(find)),
  openCalls: new Map(),
  answeredAt: "",
  turn: null,
  path: emptyList(find && packEntries(find)),
  branches: emptyList(find && packEntries(find)),
  title: null,
  model,
  todos: [],
  lastAnswer: "",
});

/** The state with one more entry, which may continue an earlier one or another branch. */
export function withEntry<T extends DerivedState>(state: T, entry: Entry): T {
  const draft = { ...state };
  addToState(draft, entry);
  return draft;
}

/** The same, in place: resuming a long session makes no copy per entry. */
export function addToState(draft: Draft<DerivedState>, entry: Entry): void {
  const head = last(draft.path)?.id ?? null;
  if (entry.parent !== head) Object.assign(draft, rewound(draft, entry.parent));
  addAtHead(draft, entry);
}

function addAtHead(draft: Draft<DerivedState>, entry: Entry): void {
  addEntry(draft, entry);
  draft.path = push(draft.path, entry);
  switch (entry.type) {
    case "session":
    case "model":
      draft.model = entry.model;
      return;
    case "assistant": {
      const text = textOf(entry.content).trim();
      if (text !== "") draft.lastAnswer = text;
      draft.todos = todosOf(entry) ?? draft.todos;
      return;
    }
    case "note":
      if (entry.kind === "title") draft.title = entry.text;
      return;
    default:
      return;
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
  const fresh: Draft<DerivedState> = {
    ...emptyDerivedState(state.model),
    items: emptyList(state.items.pack),
    path: emptyList(state.path.pack),
    title: state.title,
    branches: [...known.values()].reduce<List<Entry>>(push, emptyList(state.path.pack)),
  };
  for (const entry of line.reverse()) addAtHead(fresh, entry);
  return fresh;
}
