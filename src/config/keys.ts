/** The key map: actions and their chords, such as "ctrl+s" or "alt+enter". */

import { didYouMean } from "./complaint.ts";

type Action = { chords: readonly string[]; help: string };

/** Every action by topic: its default chords, and its line in /help. */
const groups = {
  "the agent": {
    submit: { chords: ["enter"], help: "send the prompt" },
    newline: { chords: ["alt+enter", "shift+enter", "ctrl+j"], help: "new line in the prompt" },
    interrupt: { chords: ["escape"], help: "stop the agent, close a panel; twice: rewind" },
    commands: { chords: ["ctrl+p", "alt+x"], help: "all commands, to search" },
    mode: { chords: ["shift+tab"], help: "next permission mode" },
    background: { chords: ["ctrl+b", "f4"], help: "move to the background, or list tasks" },
    exit: { chords: ["ctrl+c"], help: "clear or stop; twice to quit" },
    endOfInput: { chords: ["ctrl+d"], help: "quit, when the prompt is empty" },
  },
  context: {
    compact: { chords: ["ctrl+s"], help: "compact: preview, then decide" },
    context: { chords: ["ctrl+t"], help: "what fills the context" },
    inspect: { chords: ["ctrl+x"], help: "inspector: pin, drop or restore any item" },
    lens: { chords: ["alt+v", "f2"], help: "lens: what the model sees at any call" },
  },
  "the conversation": {
    pageUp: { chords: ["pageup"], help: "page up" },
    pageDown: { chords: ["pagedown"], help: "page down" },
    top: { chords: ["ctrl+home"], help: "first line" },
    bottom: { chords: ["ctrl+end"], help: "last line" },
    previousMessage: { chords: ["alt+up", "shift+up"], help: "your previous message" },
    nextMessage: { chords: ["alt+down", "shift+down"], help: "your next message" },
    previousBoundary: { chords: ["alt+pageup", "f7"], help: "previous compaction" },
    nextBoundary: { chords: ["alt+pagedown", "f8"], help: "next compaction" },
    focus: { chords: ["ctrl+o"], help: "select and open items of the transcript" },
    openNewest: { chords: ["alt+o", "f10"], help: "open or fold the newest call" },
    search: { chords: ["ctrl+f", "alt+s"], help: "search the transcript" },
    copy: { chords: ["alt+c", "f6"], help: "copy the selected item or the last answer" },
  },
  "the prompt": {
    editor: { chords: ["ctrl+g", "alt+g"], help: "the prompt in your editor" },
    pasteImage: { chords: ["ctrl+v"], help: "attach the image on the clipboard" },
    historySearch: { chords: ["ctrl+r"], help: "search earlier prompts" },
  },
  "the screen": {
    help: { chords: ["f1"], help: "this help" },
    todo: { chords: ["alt+t", "f3"], help: "the todo list" },
    mouse: { chords: ["alt+m", "f9"], help: "mouse on or off" },
    suspend: { chords: ["ctrl+z"], help: "suspend; fg resumes" },
    redraw: { chords: ["ctrl+l"], help: "redraw the screen" },
  },
} as const satisfies Record<string, Record<string, Action>>;

type Groups = typeof groups;

export type KeyAction = { [Group in keyof Groups]: keyof Groups[Group] }[keyof Groups];

export const actions: Readonly<Record<KeyAction, Action>> = {
  ...groups["the agent"],
  ...groups.context,
  ...groups["the conversation"],
  ...groups["the prompt"],
  ...groups["the screen"],
};

export type KeyMap = ReturnType<typeof buildKeyMap>["keys"];

const isAction = (name: string): name is KeyAction => Object.hasOwn(actions, name);

const keyActions = Object.keys(actions).filter(isAction);

export const keyGroups = Object.entries(groups).map(
  ([title, group]) => [title, Object.keys(group).filter(isAction)] as const,
);

/**
 * The default keys, overridden by the user's chords, and what is wrong with those. `prefix` is a
 * chord that a program around us takes, such as tmux: other chords are preferred for display.
 */
export function buildKeyMap(own: Record<string, readonly string[]>, prefix: string | null = null) {
  const problems: string[] = [];
  const chords = new Map<KeyAction, readonly string[]>();
  for (const [name, list] of Object.entries(own)) {
    if (!isAction(name)) {
      const hint = didYouMean(name, keyActions, "; /help lists them.", (near) => `“${near}”`);
      problems.push(`unknown action “${name}”${hint}`);
      continue;
    }
    chords.set(
      name,
      list.flatMap((text) => parseChord(text) ?? []),
    );
    for (const text of list.filter((given) => parseChord(given) === null))
      problems.push(
        `“${text}”, set for ${name}, is not a key; it must look like ctrl-s, alt-enter, f2 or pageup.`,
      );
  }
  const byChord = new Map<string, KeyAction>();
  const claim = (action: KeyAction, list: readonly string[], isOwn: boolean): void => {
    for (const chord of list) {
      const taken = byChord.get(chord);
      if (taken === undefined || taken === action) byChord.set(chord, action);
      else if (isOwn) {
        problems.push(`“${chord}” is set for both ${taken} and ${action}; ${taken} keeps it.`);
      }
    }
  };
  // The user's chords override defaults silently.
  for (const [action, list] of chords) claim(action, list, true);
  for (const action of keyActions) {
    if (!chords.has(action)) claim(action, actions[action].chords, false);
  }
  const listChords = (action: KeyAction): readonly string[] =>
    (chords.get(action) ?? actions[action].chords)
      .filter((chord) => byChord.get(chord) === action)
      .toSorted((a, b) => Number(a === prefix) - Number(b === prefix));
  const keys = {
    findAction: (chord: string) => byChord.get(chord),
    listChords,
    /** The best chord of an action, for display: "Ctrl-S"; empty if it has none. */
    describeKey: (action: KeyAction): string =>
      listChords(action).slice(0, 1).map(showChord).join(""),
  };
  // Without these the user could not quit.
  for (const action of ["submit", "interrupt", "exit"] as const) {
    if (keys.listChords(action).length === 0) {
      problems.push(`“${action}” (${actions[action].help}) has no key.`);
    }
  }
  return { keys, problems };
}

/** In the order in which a chord names them. */
const modifiers = [
  ["ctrl", /^(?:c|control|ctrl)$/i],
  ["alt", /^(?:m|meta|option|alt)$/i],
  ["shift", /^(?:s|shift)$/i],
  ["super", /^(?:super|cmd)$/i],
] as const;

const keyAliases = new Map([
  ["return", "enter"],
  ["esc", "escape"],
  ["pgup", "pageup"],
  ["pgdn", "pagedown"],
  ["del", "delete"],
]);

const namedKey =
  /^(up|down|left|right|pageup|pagedown|home|end|enter|escape|tab|backspace|delete|space|f\d|f1[0-2])$/;

/** "Ctrl-S", "C-s" and "ctrl+s" are all "ctrl+s". Null: not a chord. */
function parseChord(text: string): string | null {
  const parts = text.trim().split(/[+-](?=.)/);
  const last = parts.pop() ?? "";
  const held = new Set(parts.map((part) => modifiers.find(([, words]) => words.test(part))?.[0]));
  if (held.has(undefined)) return null;
  const lower = last.toLowerCase();
  const isCharacter = [...last].length === 1;
  // A terminal sends the capital letter, not Shift.
  if (isCharacter && held.size === 1 && held.has("shift")) return last.toUpperCase();
  const name = isCharacter && held.size === 0 ? last : (keyAliases.get(lower) ?? lower);
  if (!isCharacter && !namedKey.test(name)) return null;
  const names = modifiers.flatMap(([modifier]) => (held.has(modifier) ? [modifier] : []));
  return [...names, name].join("+");
}

const short: Readonly<Record<string, string>> = { escape: "Esc", pageup: "PgUp", pagedown: "PgDn" };

/** For display: "Ctrl-S". */
export const showChord = (chord: string): string =>
  chord
    .split(/\+(?=.)/)
    .map((part) => short[part] ?? part.replace(/^./, (first) => first.toUpperCase()))
    .join("-");
