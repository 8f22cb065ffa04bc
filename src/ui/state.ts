/**
 * The screen's state and its reducer. Live events and the entries of a resumed session take the same
 * path, so a resumed screen equals the live one. Pure: the time comes with the action.
 */

import type { BudgetState } from "../protocol/budget.ts";
import type { Entry, EntryId } from "../protocol/entry.ts";
import type { AgentEvent, Ask, CompactionState, Phase } from "../protocol/event.ts";
import type { PermissionMode } from "../protocol/permission.ts";
import type { ThemeName } from "./theme.ts";
import type { Panel } from "./types.ts";
import { blockText } from "../protocol/block.ts";
import { type Todo, lastTodos } from "../protocol/todo.ts";
import { addEntry, type Transcript, type TranscriptDraft } from "./items.ts";

export type LiveBlock = { index: number; kind: "text" | "thinking" | "input"; text: string };

export type ScreenState = DerivedState & {
  readonly mode: PermissionMode;
  /** Spending caps, the most used first. */
  readonly budget: readonly BudgetState[];
  readonly answer: readonly LiveBlock[];
  readonly liveChars: number;
  readonly running: ReadonlyMap<string, { tail: string; bytes: number }>;
  readonly asks: readonly Ask[];
  readonly retry: { attempt: number; of: number; untilMs: number; reason: string } | null;
  readonly queue: readonly string[];
  readonly phase: Phase | "streaming" | "idle";
  readonly busySinceMs: number | null;
  /** When the current activity began: thinking, writing, running. */
  readonly activitySinceMs: number | null;
  readonly compaction: CompactionState | null;
  /** The next summary is being written in the background. */
  readonly isPreparing: boolean;
  readonly idle: { why: "done" | "stopped" | "failed"; message: string } | null;

  readonly panel: Panel | null;
  readonly focus: "prompt" | "transcript";
  readonly opened: ReadonlySet<string>;
  readonly flash: { text: string; untilMs: number } | null;
  /** Chosen in this session; null: the one from the settings. */
  readonly theme: ThemeName | null;
  readonly inBackground: number;
  /** Assumed until it has been tested. */
  readonly hasSandbox: boolean;
};

export type Action =
  | { type: "event"; event: AgentEvent; nowMs: number }
  | ({ type: "set" } & Partial<
      Pick<ScreenState, "panel" | "focus" | "flash" | "theme" | "inBackground" | "hasSandbox">
    >)
  | { type: "toggle"; key: string }
  | { type: "tick"; nowMs: number }
  /** A line of the transcript that is not in the log. */
  | { type: "notice"; text: string };

/** Context, compactions and calls are folded by default. */
export const isOpen = ({ opened }: ScreenState, { key }: { key: string }): boolean =>
  opened.has(key);

const failureMs = 8_000;

const atRest = {
  phase: "idle",
  busySinceMs: null,
  activitySinceMs: null,
  answer: [],
  liveChars: 0,
  running: new Map(),
  asks: [],
  retry: null,
  compaction: null,
} as const satisfies Partial<ScreenState>;

export const initialState = (model: string, mode: PermissionMode): ScreenState => ({
  budget: [],
  ...emptyDerivedState(model),
  ...atRest,
  mode,
  queue: [],
  isPreparing: false,
  idle: null,
  panel: null,
  focus: "prompt",
  opened: new Set(),
  flash: null,
  theme: null,
  inBackground: 0,
  hasSandbox: true,
});

export function reduce(state: ScreenState, action: Action): ScreenState {
  switch (action.type) {
    case "event":
      return reduceEvent(state, action.event, action.nowMs);
    case "set": {
      const { type: _, ...values } = action;
      return { ...state, ...values };
    }
    case "toggle":
      return { ...state, opened: state.opened.symmetricDifference(new Set([action.key])) };
    case "tick":
      return state.flash !== null && state.flash.untilMs <= action.nowMs
        ? { ...state, flash: null }
        : state;
    case "notice": {
      const { text } = action;
      const key = `notice-${state.items.length}`;
      const entry = { id: key, parent: null, at: "", type: "note", kind: "info", text } as const;
      return { ...state, items: [...state.items, { key, kind: "note", entry }] };
    }
    default:
      return action satisfies never;
  }
}

function reduceEvent(state: ScreenState, event: AgentEvent, nowMs: number): ScreenState {
  switch (event.type) {
    case "entry":
      return onEntry(state, event.entry);
    case "delta": {
      const isSameKind = state.answer.at(-1)?.kind === event.kind;
      return {
        ...state,
        phase: "streaming",
        retry: null,
        answer: grow(state.answer, event),
        liveChars: state.liveChars + event.text.length,
        activitySinceMs: isSameKind ? state.activitySinceMs : nowMs,
      };
    }
    case "reset":
      return { ...state, answer: [], liveChars: 0 };
    case "progress": {
      const output = { tail: event.tail, bytes: event.bytes };
      return { ...state, running: new Map(state.running).set(event.toolUse, output) };
    }
    case "ask":
      // Once more: its call went to the background.
      return { ...state, asks: [...state.asks.filter(({ id }) => id !== event.ask.id), event.ask] };
    case "asked": {
      const asks = state.asks.filter((ask) => ask.id !== event.id);
      return { ...state, asks, activitySinceMs: nowMs };
    }
    case "retry": {
      const { attempt, of, reason } = event;
      return { ...state, retry: { attempt, of, reason, untilMs: nowMs + event.waitMs } };
    }
    case "phase":
      return {
        ...state,
        phase: event.phase,
        retry: null,
        idle: null,
        busySinceMs: state.busySinceMs ?? nowMs,
        activitySinceMs: event.phase === state.phase ? state.activitySinceMs : nowMs,
      };
    case "queue":
      return { ...state, queue: event.waiting };
    case "mode":
      return { ...state, mode: event.mode };
    case "budget":
      return { ...state, budget: event.budget };
    case "compaction": {
      const { step } = event.state;
      if (step === "preparing" || step === "prepared")
        return { ...state, isPreparing: step === "preparing" };
      if (step === "done") return { ...state, compaction: null };
      if (step !== "failed") return { ...state, compaction: event.state };
      const flash = { text: event.state.message, untilMs: nowMs + failureMs };
      return { ...state, compaction: null, flash };
    }
    case "denied":
    case "rules":
    case "unsent":
      return state;
    case "idle":
      return {
        ...state,
        ...atRest,
        // No turn ends these.
        asks: state.asks.filter(({ inBackground }) => inBackground),
        idle: { why: event.why, message: event.message ?? "" },
      };
    default:
      return event satisfies never;
  }
}

function onEntry(state: ScreenState, entry: Entry): ScreenState {
  const grown = withEntry(state, entry);
  if (entry.type === "assistant") return { ...grown, answer: [], liveChars: 0 };
  if (entry.type !== "result" || !state.running.has(entry.toolUse)) return grown;
  const running = new Map(state.running);
  running.delete(entry.toolUse);
  return { ...grown, running };
}

/** The answer with one more piece; pieces come in order of their blocks. */
function grow(
  blocks: readonly LiveBlock[],
  piece: { index: number; kind: LiveBlock["kind"]; text: string },
): readonly LiveBlock[] {
  const open = blocks.at(-1);
  if (open !== undefined && open.index === piece.index && open.kind === piece.kind) {
    return blocks.with(-1, { ...open, text: open.text + piece.text });
  }
  return [...blocks, { index: piece.index, kind: piece.kind, text: piece.text }];
}

type DerivedState = Transcript & {
  /** Entries that rewinds removed from the path. */
  readonly branches: readonly Entry[];
  readonly title: string | null;
  readonly model: string;
  readonly todos: readonly Todo[];
  readonly lastAnswer: string;
};

const emptyDerivedState = (model: string): DerivedState => ({
  items: [],
  openCalls: new Map(),
  answeredAt: "",
  turnStart: null,
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

export const copyState = <T extends DerivedState>(state: T): T & TranscriptDraft<DerivedState> => ({
  ...state,
  items: [...state.items],
  path: [...state.path],
});

/** Reduces an entry in place: resuming a long session makes no copy per entry. */
export function addToState(draft: TranscriptDraft<DerivedState>, entry: Entry): void {
  const head = draft.path.at(-1)?.id ?? null;
  if (entry.parent !== head) Object.assign(draft, rewound(draft, entry.parent));
  addAtHead(draft, entry);
}

function addAtHead(draft: TranscriptDraft<DerivedState>, entry: Entry): void {
  addEntry(draft, entry);
  draft.path.push(entry);
  switch (entry.type) {
    case "session":
    case "model":
      draft.model = entry.model;
      return;
    case "assistant": {
      const text = blockText(entry.content).trim();
      if (text !== "") draft.lastAnswer = text;
      draft.todos = lastTodos(entry) ?? draft.todos;
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
