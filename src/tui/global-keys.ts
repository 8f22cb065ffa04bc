/** Keys that mean the same wherever one is: stop, leave, open a panel. */

import { useRef } from "react";
import type { KeyAction, KeyMap } from "../config/keys.ts";
import { useKeys } from "./input.tsx";
import { suspendProcess } from "./terminal/suspend.ts";
import type { PanelProps } from "./types.ts";
import type { Panel } from "./types.ts";

type GlobalKeyOptions = Pick<PanelProps, "state" | "dispatch" | "send" | "copy" | "suspend"> & {
  keys: KeyMap;
  leave(code: number): void;
  toggleMouse(): void;
  redraw(): void;
};

/** So soon must Ctrl-C come again to mean: leave. */
const againMs = 2_000;

/** Bypass is chosen on the command line only; a key pressed once too often must not unlock it. */
const modes = ["default", "accept-edits", "plan"] as const;

export function useGlobalKeys({
  state,
  dispatch,
  send,
  copy,
  suspend,
  keys,
  leave,
  toggleMouse,
  redraw,
}: GlobalKeyOptions): void {
  const lastExit = useRef(0);
  const open = (panel: Panel) => (): true => {
    dispatch({ type: "panel", panel });
    return true;
  };
  const flash = (text: string): true => {
    dispatch({ type: "flash", text, untilMs: Date.now() + againMs });
    return true;
  };

  const does: Partial<Record<KeyAction, () => boolean>> = {
    interrupt: () => {
      if (state.phase === "idle" && state.asks.length === 0) return false;
      send({ type: "stop" });
      return true;
    },
    compact: open({ kind: "compact", focus: "" }),
    context: open({ kind: "context" }),
    inspect: open({ kind: "inspect" }),
    lens: open({ kind: "lens" }),
    todo: open({ kind: "todo" }),
    help: open({ kind: "help" }),
    mode: () => {
      const at = modes.findIndex((mode) => mode === state.mode);
      send({ type: "mode", mode: modes[(at + 1) % modes.length] ?? "default" });
      return true;
    },
    background: () => {
      // A command that says nothing is running, too.
      const running =
        state.phase === "tools"
          ? [...new Set([...state.openCalls.keys(), ...state.running.keys()])]
          : [];
      for (const toolUse of running) send({ type: "background", toolUse });
      return running.length > 0 || flash("No command is running.");
    },
    copy: () => {
      copy(state.lastAnswer);
      return flash("Copied the last answer.");
    },
    mouse: () => {
      toggleMouse();
      return flash("Mouse wheel switched; hold Shift to select with the mouse.");
    },
    suspend: () => {
      void suspend(suspendProcess);
      return true;
    },
    redraw: () => {
      redraw();
      return true;
    },
  };

  useKeys("global", (event) => {
    if (event.type !== "key") return false;
    const action = keys.actionOf(event.chord);
    return action ? (does[action]?.() ?? false) : false;
  });

  // A panel takes every other key; the way out of the program stays open.
  useKeys(
    "panel",
    (event) => {
      if (event.type !== "key" || keys.actionOf(event.chord) === "exit") return false;
      if (event.chord === "escape") dispatch({ type: "panel", panel: null });
      return true;
    },
    state.panel !== null && state.asks.length === 0,
  );

  useKeys("last", (event) => {
    if (event.type !== "key") return false;
    const action = keys.actionOf(event.chord);
    if (action === "endOfInput") leave(0);
    if (action !== "exit") return false;
    const now = Date.now();
    if (now - lastExit.current < againMs) leave(0);
    lastExit.current = now;
    if (state.phase !== "idle") send({ type: "stop" });
    return flash("Press Ctrl-C again to leave.");
  });
}
