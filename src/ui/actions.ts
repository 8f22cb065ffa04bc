/** Operations available to the parts of the screen. */

import { errorMessage } from "../base/format.ts";
import type { InputEvent } from "./keys.ts";
import type { Store } from "./store.ts";
import type { Theme, ThemeName } from "./theme.ts";
import type { Next, Panel, Send, Services } from "./types.ts";

export type Actions = {
  /** Sends a command to the agent. */
  send: Send;
  /** Opens a panel; null closes the one that is open. */
  show(panel: Panel | null): void;
  /** Shows a notice above the prompt for a few seconds. */
  notify(text: string): void;
  /** Shows an error as a notice. */
  report(error: unknown): void;
  /** Copies and says so; `what` is a noun. */
  copy(text: string, what: string): void;
  exit(): void;
  /** Leaves this session for another one, unless the agent is working. */
  open(next: Next): void;
  /** Lends the terminal to another program (the editor, a shell) while `work` runs, then redraws. */
  suspend(work: () => Promise<void>): Promise<void>;
  /** Simulates key presses. */
  press(...events: readonly InputEvent[]): void;
  /** Inserts text before the prompt's draft. */
  setPrompt(text: string): void;
  /** Uses a theme now and in later sessions. */
  chooseTheme(theme: ThemeName): void;
  /** Returns whether Vim keys are on now. */
  toggleVim(): boolean;
};

/** The terminal as the screen uses it. */
export type ScreenTerminal = {
  readonly theme: Theme;
  /** The chord that a surrounding program takes; null: none. */
  readonly prefix: string | null;
  /** Returns the new state; null: not supported here. */
  toggleMouse(): boolean | null;
  repaint(): void;
  write(code: string): void;
  suspend(work: () => Promise<void>): Promise<void>;
};

type Means = Pick<Actions, "send" | "press" | "setPrompt" | "toggleVim"> & {
  terminal: Pick<ScreenTerminal, "write" | "suspend">;
  leave(next?: Next): void;
};

const flashMs = 5_000;

export function makeActions(
  store: Store,
  services: Services,
  { terminal, leave, ...given }: Means,
): Actions {
  const notify = (text: string): void =>
    store.dispatch({ type: "set", flash: { text, untilMs: store.nowMs + flashMs } });
  const report = (error: unknown): void => notify(errorMessage(error));
  return {
    ...given,
    notify,
    report,
    show: (panel) => store.dispatch({ type: "set", panel }),
    copy(text, what) {
      if (text === "") return notify(`There is no ${what} to copy.`);
      terminal.write(`\x1b]52;c;${Buffer.from(text).toString("base64")}\x07`);
      services.copyWithProgram(text);
      notify(`Copied ${what}: ${text.length.toLocaleString("en")} characters.`);
    },
    exit: () => leave(),
    open(next) {
      const { phase, asks } = store.state;
      if (phase === "idle" && asks.length === 0) leave(next);
      else notify("The agent is working. Press Esc to stop it first.");
    },
    suspend: (work) => terminal.suspend(work).catch(report),
    chooseTheme(theme) {
      store.dispatch({ type: "set", theme });
      services.saveSetting("theme", theme).catch(report);
    },
  };
}
