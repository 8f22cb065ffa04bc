/** The part of the state that follows from entries alone; a resumed session rebuilds it. */

import { textOf } from "../protocol/block.ts";
import type { Entry, EntryId } from "../protocol/entry.ts";
import { todosOf, type Todo } from "../protocol/todo.ts";
import { addEntry, type TranscriptDraft, type Transcript } from "./items.ts";

export type DerivedState = Transcript & {
  /** The path, oldest first. */
  readonly path: readonly Entry[];
  /** Entries that rewinds removed from the path. */
  readonly branches: readonly Entry[];
  readonly title: string | null;
  readonly model: string;
  readonly todos: readonly Todo[];
  /** Text of the last answer. */
  readonly lastAnswer: string;
};

export const emptyDerivedState = (model: string): DerivedState => ({
  items: [],
  openCalls: new Map(),
  answeredAt: "",
  turn: null,
  path: [],
  branches: [],
  title: null,
  model,
  todos: [],
  lastAnswer: "",
});

/** The state with one more entry, which may continue an earlier one or another branch. */
export function withEntry<T extends DerivedState>(state: T, entry: Entry): T {
  const draft = copyState(state);
  addToState(draft, entry);
  return draft;
}

/** A state whose lists nobody else holds. */
export type DerivedDraft = TranscriptDraft<DerivedState> & { path: Entry[] };

export const copyState = <T extends DerivedState>(state: T): T & DerivedDraft => ({
  ...state,
  items: [...state.items],
  path: [...state.path],
});

/** The same, in place: resuming a long session makes no copy per entry. */
export function addToState(draft: DerivedDraft, entry: Entry): void {
  const head = draft.path.at(-1)?.id ?? null;
  if (entry.parent !== head) Object.assign(draft, rewound(draft, entry.parent));
  addAtHead(draft, entry);
}

function addAtHead(draft: DerivedDraft, entry: Entry): void {
  addEntry(draft, entry);
  draft.path.push(entry);
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
  const known = new Map([...state.branches, ...state.path].map((e) => [e.id, e]));
  const line: Entry[] = [];
  for (let id = to; id !== null;) {
    const entry = known.get(id);
    if (entry === undefined) break;
    known.delete(id);
    line.push(entry);
    id = entry.parent;
  }
  const fresh = {
    ...copyState(emptyDerivedState(state.model)),
    title: state.title,
    branches: [...known.values()],
  };
  for (const entry of line.reverse()) addAtHead(fresh, entry);
  return fresh;
}
