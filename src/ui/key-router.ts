/** Routes keys to the parts of the screen, one at a time; handles global shortcuts. */

import type { KeyAction } from "../config/keys.ts";
import type { PermissionMode } from "../protocol/permission.ts";
import type { ScreenTerminal } from "./actions.ts";
import { copyAnswer } from "./commands.ts";
import type { Panel } from "./types.ts";
import { toChord, type InputEvent, press } from "./keys.ts";
import type { KeyHandlers, KeyLevel } from "./use-keys.ts";
import type { Question } from "./components/question/question-model.ts";
import type { overlay } from "./overlay.ts";
import type { promptModel } from "./prompt/prompt-model.ts";
import type { Selection } from "./selection.ts";
import type { Shared } from "./shared.ts";
import type { TranscriptModel } from "./transcript/transcript-model.ts";

/** Bypass is set on the command line only: one key press too many must not unlock it. */
const modes = ["default", "accept-edits", "auto", "plan"] as const;

const againMs = 2_000;

/** Maximum time between two Escapes that open the rewind panel. */
const twiceMs = 800;

type KeyParts = Pick<Shared, "store" | "actions" | "services" | "keys" | "panels"> & {
  terminal: Pick<ScreenTerminal, "toggleMouse" | "repaint">;
};

function screenKeys(parts: KeyParts, isTyping: () => boolean, openMenu: () => void) {
  const { store, actions, keys, terminal, panels } = parts;
  const panelOf = (action: KeyAction): Panel | undefined =>
    panels.find(({ key }) => key === action);
  let exitPressedMs = 0;
  let escapePressedMs = 0;
  /** The mode before the first request, then those requested. Without a sandbox, auto never arrives. */
  let requested: readonly PermissionMode[] = [];

  /** Shortcuts without a panel; false: not handled. */
  const acts: Partial<Record<KeyAction, () => boolean | void>> = {
    interrupt,
    mode: nextMode,
    commands: openMenu,
    background: () => toBackground(parts),
    copy: () => copyAnswer(parts),
    mouse: () => actions.notify(mouseMessage(terminal.toggleMouse())),
    suspend: () =>
      process.platform === "win32"
        ? actions.notify("Windows cannot suspend a program. Open another tab instead.")
        : void actions.suspend(suspendProcess),
    redraw: () => terminal.repaint(),
  };

  /** Stops the agent; when idle, a second press opens the rewind panel. False: neither. */
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
    const since = requested.length === 0 ? [store.state.mode] : requested;
    const at = modes.findIndex((mode) => mode === since.at(-1));
    const mode = modes[(at + 1) % modes.length] ?? "default";
    requested = [...since, mode];
    actions.send({ type: "mode", mode });
  }

  /** Whether the chord quits because it is pressed again. */
  const quits = (chord: string): boolean =>
    keys.findAction(chord) === "exit" && store.nowMs - exitPressedMs < againMs;

  return {
    quits,
    press(chord: string): boolean {
      const { mode } = store.state;
      // Arrived, or something else changed the mode.
      if (mode === requested.at(-1) || !requested.includes(mode)) requested = [];
      const action = keys.findAction(chord);
      if (action === undefined) return false;
      const panel = panelOf(action);
      const act = acts[action] ?? (panel && (() => actions.show({ kind: panel.kind })));
      return act !== undefined && act() !== false;
    },
    /** While a panel is open: its own key closes it, another panel's key opens that one. */
    pressInPanel(chord: string): boolean {
      const action = keys.findAction(chord);
      const panel = action && panelOf(action);
      if (!panel) return false;
      const { kind } = panel;
      actions.show(kind === store.state.panel?.kind ? null : { kind });
      return true;
    },
    /** Fallback for unhandled keys. */
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

/** Moves running calls to the background; if none are running, lists background commands. */
function toBackground({ store, actions }: KeyParts): void {
  const { state } = store;
  const { send, show } = actions;
  const isRunning = state.phase === "tools";
  // A command without output so far is only in `openCalls`.
  const calls = isRunning ? [...new Set([...state.openCalls.keys(), ...state.running.keys()])] : [];
  for (const toolUse of calls) send({ type: "background", toolUse });
  // The line above the prompt then counts them for as long as they run.
  if (calls.length === 0) show({ kind: "background" });
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
  readonly keyHandlers: KeyHandlers;
  readonly overlay: ReturnType<typeof overlay>;
  readonly transcript: Pick<TranscriptModel, "search">;
  readonly prompt: Pick<ReturnType<typeof promptModel>, "editor" | "openMenu">;
  readonly selection: Selection;
  hasLeft(): boolean;
  /** Commits React updates of the last key. */
  commit(): void;
};

/** Maximum nesting of lists and fields within a panel. */
const maxDepth = 3;

export function keyRouter(parts: RouterParts): (...events: readonly InputEvent[]) => void {
  const { store, actions, overlay: shown, transcript, prompt, keys, selection, panels } = parts;
  const { keyHandlers, hasLeft, commit } = parts;
  const isTyping = (): boolean => prompt.editor.text !== "";
  const global = screenKeys(parts, isTyping, prompt.openMenu);
  const waiting: InputEvent[] = [];
  /** Number of queued events typed before their predecessor finished. */
  let late = 0;
  let isBusy = false;
  let isAwaitingPanel = false;
  /** A mounted component takes keys, or did before the last key. */
  let isCovered = false;

  keyHandlers.add("screen", (event) => global.press(toChord(event)));
  keyHandlers.add("last", (event) => global.pressExit(toChord(event)));

  /** Levels offered a key that the question or panel did not handle. */
  function levelsBelow(isLate: boolean): readonly KeyLevel[] {
    const { question } = shown;
    // Keys go to the prompt until the question accepts answers.
    if (question)
      return question.isAnswering && !isLate ? ["prompt", "last"] : ["popup", "prompt", "last"];
    if (store.state.panel) return ["prompt", "last"];
    if (transcript.search.isTyping) return ["transcript", "screen", "last"];
    if (store.state.focus === "transcript") return ["transcript", "screen", "prompt", "last"];
    return ["popup", "screen", "prompt", "last"];
  }

  /** A panel shortcut pressed at a question, and the Enter meant for that panel, must not answer. */
  function isForPanel(event: InputEvent): boolean {
    const chord = toChord(event);
    const action = keys.findAction(chord);
    const opens = panels.some(({ key }) => key !== undefined && key === action);
    const isConfirmed = isAwaitingPanel && chord === "enter";
    isAwaitingPanel = opens;
    if (!opens && !isConfirmed) return false;
    actions.notify("Answer the question first.");
    return true;
  }

  /** While a text field is open, unused keys do not reach the prompt. */
  function pressQuestion(
    { isTyping: isAsked }: Question,
    event: InputEvent,
    isLate: boolean,
  ): boolean | Promise<void> {
    if (isForPanel(event)) return true;
    const used = keyHandlers.offer(event, ["question"], isLate);
    return used || (isAsked && !isLate && event.type !== "mouse" && toChord(event) !== "ctrl+c");
  }

  /** Text that the panel does not handle goes to the prompt. */
  function pressPanel(event: InputEvent): boolean | Promise<void> {
    const { origin } = shown;
    if (event.type === "mouse") {
      const { row, column } = event;
      const inPanel = { ...event, row: row - origin.row, column: column - origin.column };
      return keyHandlers.offer(inPanel, ["panel"]) || true;
    }
    const used = keyHandlers.offer(event, ["panel", "field"]);
    if (used !== false) return used;
    if (event.type === "paste" || event.text !== "") return false;
    if (keys.findAction(event.chord) === "exit") return !isTyping() && closePanel();
    if (event.chord === "escape") actions.show(null);
    return event.chord === "escape" || global.pressInPanel(event.chord) || !isTyping();
  }

  /** Closes the panel and everything nested in it via Escape, so that changes are applied. */
  function closePanel(): true {
    for (let depth = 0; depth < maxDepth && store.state.panel; depth++) {
      if (keyHandlers.offer(press("escape", ""), ["panel", "field"]) === false) break;
      store.revision++;
      commit();
    }
    if (store.state.panel) actions.show(null);
    return true;
  }

  function give(event: InputEvent, isLate: boolean): boolean | Promise<void> {
    const isTyped = event.type !== "mouse" && event.text !== "";
    if (hasLeft()) return isTyped && keyHandlers.offer(event, ["prompt"]);
    const used = shown.question
      ? pressQuestion(shown.question, event, isLate)
      : store.state.panel !== null && pressPanel(event);
    if (used !== false) return used;
    // The first Ctrl-C may restore a message to the prompt; the second must still quit.
    const skipsPrompt = global.quits(toChord(event));
    const offered = levelsBelow(isLate).filter((level) => level !== "prompt" || !skipsPrompt);
    return keyHandlers.offer(event, offered, isLate);
  }

  function route(event: InputEvent): boolean | Promise<void> {
    const isLate = late > 0;
    if (isLate) late--;
    // Commit first: the panel must reflect the previous key.
    const wasCovered = isCovered;
    isCovered = store.state.panel !== null || shown.question !== null;
    if (wasCovered || isCovered) commit();
    if (event.type !== "mouse") selection.clear();
    else if (event.action === "press" || event.action === "drag" || event.action === "release")
      return !selection.take(event) || give({ ...event, action: "press" }, isLate);
    return give(event, isLate);
  }

  function drain(): void {
    for (let event = waiting.shift(); event; event = waiting.shift()) {
      const pending = route(event);
      store.revision++;
      if (typeof pending === "boolean") continue;
      isBusy = true;
      void pending.finally(() => {
        isBusy = false;
        late = waiting.length;
        drain();
        store.redraw();
      });
      return;
    }
  }

  return (...events) => {
    waiting.push(...events);
    if (!isBusy) drain();
  };
}
