/** Keys that mean the same everywhere, and which part of the screen gets a key, one at a time. */

import type { KeyAction } from "../config/keys.ts";
import type { PermissionMode } from "../protocol/permission.ts";
import { copyAnswer, showPager } from "./commands.ts";
import type { Panel } from "./types.ts";
import { toChord, type InputEvent, press } from "./keys.ts";
import type { overlay } from "./overlay.ts";
import type { coldCacheNotice } from "./cold-cache.ts";
import type { promptModel } from "./prompt/prompt-model.ts";
import type { Selection } from "./selection.ts";
import type { ScreenTerminal, Shared } from "./shared.ts";
import type { TranscriptModel } from "./transcript/transcript-model.ts";

const panels: Partial<Record<KeyAction, Panel>> = {
  compact: { kind: "compact" },
  context: { kind: "map" },
  inspect: { kind: "items" },
  lens: { kind: "lens" },
  todo: { kind: "todo" },
  help: { kind: "help" },
};

/** Bypass is set on the command line only: one key press too many must not unlock it. */
const modes = ["default", "accept-edits", "auto", "plan"] as const;

const againMs = 2_000;

/** The state may not yet have the mode that a key requested this recently. */
const pendingMs = 300;

/** Escape within this time after another one rewinds. */
const twiceMs = 800;

type KeyParts = Pick<Shared, "store" | "actions" | "services" | "keys"> & {
  terminal: Pick<ScreenTerminal, "toggleMouse" | "repaint">;
};

function screenKeys(parts: KeyParts, isTyping: () => boolean, openMenu: () => void) {
  const { store, actions, keys, terminal } = parts;
  let exitPressedMs = 0;
  let escapePressedMs = 0;
  let modeSent: { mode: PermissionMode; ms: number } = { mode: "default", ms: -Infinity };

  /** Actions of keys that open no panel; false: nothing was done. */
  const acts: Partial<Record<KeyAction, () => boolean | void>> = {
    interrupt,
    mode: nextMode,
    commands: openMenu,
    background: () => toBackground(parts),
    copy: () => copyAnswer(parts),
    pager: () => showPager(parts),
    mouse: () => actions.notify(mouseMessage(terminal.toggleMouse())),
    suspend: () =>
      process.platform === "win32"
        ? actions.notify("Windows cannot suspend a program. Open another tab instead.")
        : void actions.suspend(suspendProcess),
    redraw: () => terminal.repaint(),
  };

  /** Stops what is running; pressed twice when nothing is, it rewinds. False: it did neither. */
  function interrupt(): boolean {
    if (
      store.state.phase !== "idle" ||
      store.state.asks.some(({ inBackground }) => !inBackground)
    ) {
      actions.send({ type: "stop" });
      return true;
    }
    const isSecond = store.nowMs - escapePressedMs < twiceMs;
    escapePressedMs = isSecond ? 0 : store.nowMs;
    if (!isSecond || isTyping()) return false;
    actions.show({ kind: "rewind" });
    return true;
  }

  function nextMode(): void {
    const { nowMs, state } = store;
    const { send } = actions;
    // Where nothing can be confined, auto is answered by accept-edits: the mode after it comes next.
    const isReplaced = modeSent.mode === "auto" && state.mode === "accept-edits";
    const isPending = nowMs - modeSent.ms < pendingMs;
    const current = isReplaced || isPending ? modeSent.mode : state.mode;
    const at = modes.findIndex((mode) => mode === current);
    const mode = modes[(at + 1) % modes.length] ?? "default";
    modeSent = { mode, ms: nowMs };
    send({ type: "mode", mode });
  }

  /** Whether the chord quits because it is pressed again. */
  const quits = (chord: string): boolean =>
    keys.findAction(chord) === "exit" && store.nowMs - exitPressedMs < againMs;

  return {
    quits,
    press(chord: string): boolean {
      // The requested mode has arrived: a later change does not come from this key.
      if (store.state.mode === modeSent.mode) modeSent = { mode: "default", ms: -Infinity };
      const action = keys.findAction(chord);
      if (action === undefined) return false;
      const panel = panels[action];
      const act = panel ? () => actions.show(panel) : acts[action];
      return act !== undefined && act() !== false;
    },
    /** While a panel is open: its own key closes it, another panel's key opens that one. */
    pressInPanel(chord: string): boolean {
      const action = keys.findAction(chord);
      const panel = chord === "escape" ? null : action && panels[action];
      if (panel === undefined) return false;
      actions.show(panel?.kind === store.state.panel?.kind ? null : panel);
      return true;
    },
    /** Keys that nothing else handled. */
    pressExit(chord: string): boolean {
      const action = keys.findAction(chord);
      if (action === "endOfInput") actions.exit();
      if (action !== "exit") return action === "endOfInput";
      if (quits(chord)) actions.exit();
      exitPressedMs = store.nowMs;
      if (store.state.phase !== "idle") actions.send({ type: "stop" });
      actions.notify("Press Ctrl-C again to quit.");
      return true;
    },
  };
}

/** Sends what is running to the background; if nothing is, lists what is there. */
function toBackground({ store, actions }: KeyParts): void {
  const { state } = store;
  const { send, notify, show } = actions;
  const isRunning = state.phase === "tools";
  // A command that printed nothing is known only by its call.
  const calls = isRunning ? [...new Set([...state.openCalls.keys(), ...state.running.keys()])] : [];
  for (const toolUse of calls) send({ type: "background", toolUse });
  if (calls.length === 0) show({ kind: "background" });
  else notify("Running in the background; /tasks shows it.");
}

/** Suspends the process group like Ctrl-Z in a shell: a parent would keep the shell waiting. */
async function suspendProcess(): Promise<void> {
  process.kill(0, "SIGTSTP");
  // Gives the signal time to arrive; the timer does not advance while suspended.
  await Bun.sleep(50);
}

const mouseMessage = (isOn: boolean | null): string =>
  isOn === null
    ? "The mouse stays off in GNU screen, which would hold back Escape."
    : isOn
      ? "Mouse on: the wheel scrolls, dragging copies."
      : "Mouse off.";

type RouterParts = KeyParts & {
  hasLeft(): boolean;
  readonly overlay: ReturnType<typeof overlay>;
  readonly transcript: TranscriptModel;
  readonly prompt: ReturnType<typeof promptModel>;
  readonly coldCache: ReturnType<typeof coldCacheNotice>;
  readonly selection: Selection;
};

/** True: the event was handled. A promise: it was, and later events wait for it. */
type Taker = (event: InputEvent) => boolean | Promise<void>;

/** Levels of lists and fields within a panel. */
const maxDepth = 3;

export function keyRouter(parts: RouterParts): (...events: readonly InputEvent[]) => void {
  const { overlay: shown, transcript, prompt, coldCache, keys, selection } = parts;
  const global = screenKeys(parts, () => prompt.editor.text !== "", prompt.openMenu);
  const waiting: InputEvent[] = [];
  /** How many of them were typed before the event that they waited for was done. */
  let late = 0;
  let isBusy = false;
  let isAwaitingPanel = false;

  const popup: Taker = (event) => coldCache.press(toChord(event)) || prompt.pressPopup(event);
  const screen: Taker = (event) => global.press(toChord(event)) || transcript.press(event);
  // A message that the first Ctrl-C put back into the prompt does not keep the second from quitting.
  const typing: Taker = (event) => !global.quits(toChord(event)) && prompt.press(event);
  const exit: Taker = (event) =>
    global.pressExit(toChord(event)) || transcript.pressLast(toChord(event));

  const draft: Taker = (event) =>
    event.type !== "mouse" && event.text !== "" && prompt.press(event);

  /** The parts that are offered an event, in order, until one takes it. */
  function takers(isLate: boolean): readonly Taker[] {
    const { question } = shown;
    if (parts.hasLeft()) return [draft];
    if (question) {
      const answer: Taker = (event) => isForPanel(event) || question.press(event, isLate);
      // Until it takes answers, keys go to the prompt.
      return question.isAnswering && !isLate
        ? [answer, typing, exit]
        : [answer, popup, typing, exit];
    }
    if (shown.panel) return [pressPanel, typing, exit];
    if (transcript.search.isTyping)
      return [(event) => transcript.search.press(event), screen, exit];
    if (parts.store.state.focus === "transcript")
      return [(event) => transcript.pressFocused(event), screen, typing, exit];
    return [popup, screen, typing, exit];
  }

  /** A key at a question that would open a panel, and the Enter that was meant for the panel: neither answers. */
  function isForPanel(event: InputEvent): boolean {
    const chord = toChord(event);
    const action = keys.findAction(chord);
    const opens = action !== undefined && panels[action] !== undefined;
    const isConfirmed = isAwaitingPanel && chord === "enter";
    isAwaitingPanel = opens;
    if (!opens && !isConfirmed) return false;
    parts.actions.notify("Answer the question first.");
    return true;
  }

  /** A panel gets the keys that it uses; anything else that is typed goes to the prompt. */
  function pressPanel(event: InputEvent): boolean {
    const { panel, origin } = shown;
    if (event.type === "mouse") {
      const { row, column } = event;
      panel?.press({ ...event, row: row - origin.row, column: column - origin.column });
      return true;
    }
    if (panel?.press(event)) return true;
    if (event.type === "paste" || event.text !== "") return false;
    if (keys.findAction(event.chord) === "exit") return prompt.editor.text === "" && closePanel();
    return global.pressInPanel(event.chord) || prompt.editor.text === "";
  }

  /** As Escape does, through everything that is open in it: a panel may apply changes then. */
  function closePanel(): true {
    for (let depth = 0; depth < maxDepth && shown.panel; depth++)
      if (!shown.panel.press(press("escape", ""))) break;
    if (shown.panel) global.pressInPanel("escape");
    return true;
  }

  function give(event: InputEvent, isLate: boolean): void | Promise<void> {
    for (const offer of takers(isLate)) {
      const used = offer(event);
      if (used instanceof Promise) return used;
      if (used) return;
    }
  }

  function route(event: InputEvent): void | Promise<void> {
    const isLate = late > 0;
    if (isLate) late--;
    if (event.type !== "mouse") selection.clear();
    else if (event.action === "press" || event.action === "drag" || event.action === "release")
      return selection.take(event) ? give({ ...event, action: "press" }, isLate) : undefined;
    return give(event, isLate);
  }

  function drain(): void {
    for (let event = waiting.shift(); event; event = waiting.shift()) {
      const pending = route(event);
      if (pending === undefined) continue;
      isBusy = true;
      void pending.finally(() => {
        isBusy = false;
        late = waiting.length;
        drain();
        parts.store.redraw();
      });
      return;
    }
  }

  return (...events) => {
    waiting.push(...events);
    if (!isBusy) drain();
  };
}
