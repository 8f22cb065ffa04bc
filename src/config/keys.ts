/** The key map: what can be done with a key, and with which. Chords as in "ctrl+s", "alt+enter". */

/** Every action that a key can have, its default chords, and what /help says of it. */
export const actions = {
  submit: { chords: ["enter"], help: "send the prompt" },
  newline: { chords: ["alt+enter", "shift+enter", "ctrl+j"], help: "new line in the prompt" },
  interrupt: { chords: ["escape"], help: "stop the agent, close a panel" },
  exit: { chords: ["ctrl+c"], help: "clear the prompt, stop; twice: leave" },
  endOfInput: { chords: ["ctrl+d"], help: "leave, when the prompt is empty" },
  compact: { chords: ["ctrl+s"], help: "compact: see what would go, then decide" },
  lens: { chords: ["alt+v", "f2"], help: "everything, or what the model sees" },
  inspect: { chords: ["ctrl+x"], help: "inspector: pin, drop, restore any item" },
  context: { chords: ["ctrl+t"], help: "what fills the context" },
  todo: { chords: ["alt+t"], help: "the todo list" },
  mode: { chords: ["shift+tab"], help: "next permission mode" },
  background: { chords: ["ctrl+b"], help: "send the running command to the background" },
  focus: { chords: ["ctrl+o"], help: "walk through the transcript, open items" },
  search: { chords: ["ctrl+f"], help: "search the transcript" },
  pageUp: { chords: ["pageup"], help: "a page up" },
  pageDown: { chords: ["pagedown"], help: "a page down" },
  top: { chords: ["ctrl+home"], help: "to the first line" },
  bottom: { chords: ["ctrl+end"], help: "to the last line" },
  previousMessage: { chords: ["alt+up"], help: "to the previous message of yours" },
  nextMessage: { chords: ["alt+down"], help: "to the next message of yours" },
  previousBoundary: { chords: ["alt+pageup"], help: "to the previous compaction" },
  nextBoundary: { chords: ["alt+pagedown"], help: "to the next compaction" },
  copy: { chords: ["alt+c"], help: "copy the chosen item, or the last answer" },
  pager: { chords: ["alt+p"], help: "the transcript in $PAGER" },
  editor: { chords: ["ctrl+g"], help: "the prompt in your editor" },
  historySearch: { chords: ["ctrl+r"], help: "search earlier prompts" },
  mouse: { chords: ["alt+m"], help: "mouse wheel on or off" },
  redraw: { chords: ["ctrl+l"], help: "draw the screen anew" },
  help: { chords: ["f1"], help: "this help" },
} as const satisfies Record<string, { chords: readonly string[]; help: string }>;

export type KeyAction = keyof typeof actions;

export type KeyMap = {
  /** The action of a chord. */
  actionOf(chord: string): KeyAction | undefined;
  chordsOf(action: KeyAction): readonly string[];
};

const isAction = (name: string): name is KeyAction => name in actions;

export const keyActions = Object.keys(actions).filter(isAction);

/** The defaults with the person's own chords in their place; conflicts and unknown names are told. */
export function buildKeyMap(own: Record<string, readonly string[]>): {
  keys: KeyMap;
  problems: string[];
} {
  const problems: string[] = [];
  const chords = new Map<KeyAction, readonly string[]>(
    keyActions.map((name) => [name, actions[name].chords]),
  );
  for (const [name, list] of Object.entries(own)) {
    if (isAction(name)) chords.set(name, list.map(normalise));
    else problems.push(`keys: there is no action “${name}”; /help lists them.`);
  }
  const byChord = new Map<string, KeyAction>();
  for (const [action, list] of chords) {
    for (const chord of list) {
      const taken = byChord.get(chord);
      if (taken === undefined) byChord.set(chord, action);
      else
        problems.push(
          `keys: “${chord}” means both ${taken} and ${action}; it stays with ${taken}.`,
        );
    }
  }
  const keys: KeyMap = {
    actionOf: (chord) => byChord.get(chord),
    chordsOf: (action) =>
      (chords.get(action) ?? []).filter((chord) => byChord.get(chord) === action),
  };
  return { keys, problems };
}

const order = ["ctrl", "alt", "shift", "super"];

/** "Ctrl-S", "C-s" and "ctrl+s" are one chord. */
export function normalise(chord: string): string {
  const parts = chord.trim().split(/[+-](?=.)/);
  const key = parts.pop() ?? "";
  const long: Record<string, string> = {
    c: "ctrl",
    control: "ctrl",
    m: "alt",
    meta: "alt",
    option: "alt",
    s: "shift",
  };
  const modifiers = parts.map((part) => long[part.toLowerCase()] ?? part.toLowerCase());
  const sorted = order.filter((modifier) => modifiers.includes(modifier));
  const aliases: Record<string, string> = {
    return: "enter",
    esc: "escape",
    pgup: "pageup",
    pgdn: "pagedown",
  };
  const lower = key.length > 1 || sorted.length > 0 ? key.toLowerCase() : key;
  return [...sorted, aliases[lower] ?? lower].join("+");
}

/** As people write it: "Ctrl-S". */
export const showChord = (chord: string): string =>
  chord
    .split("+")
    .map((part) =>
      part.length === 1 ? part.toUpperCase() : part[0]?.toUpperCase() + part.slice(1),
    )
    .join("-");
