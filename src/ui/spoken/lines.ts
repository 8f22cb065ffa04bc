/** A terminal that cannot move its cursor, such as a shell inside an editor: lines in, lines out. */

import { createInterface } from "node:readline";
import { press, typed, type InputEvent } from "../keys.ts";
import { plainText } from "../line.ts";
import type { PanelModel } from "../panels/panel.ts";
import { sanitizeLine } from "../sanitize.ts";
import type { Store } from "../store.ts";

type LineInputOptions = {
  stdin: NodeJS.ReadStream;
  take(events: readonly InputEvent[]): void;
  /** The terminal is gone. */
  ended(): void;
};

/** Each line that is entered is typed at once. The terminal itself edits and echoes it. */
export function lineInput({ stdin, take, ended }: LineInputOptions) {
  const reader = createInterface({ input: stdin, terminal: false });
  reader.on("line", (line) => take([...typed(line), press("enter", "")]));
  reader.on("close", ended);
  return {
    setReports: () => undefined,
    setRawMode: () => undefined,
    setMouse: () => undefined,
    stop(): void {
      reader.off("close", ended);
      reader.close();
      stdin.pause();
    },
  };
}

/** Rows that a panel may take when it is read out. */
const maxRows = 200;

/** Says what a screen would show beside the conversation: messages, and panels, which it closes. */
export function speakChanges(
  store: Store,
  openPanel: () => PanelModel | null,
  speak: (lines: readonly string[]) => void,
): () => void {
  let flash = "";
  return store.subscribe(() => {
    const state = store.getState();
    const said = state.flash?.text ?? "";
    if (said !== flash && said !== "") speak([sanitizeLine(said)]);
    flash = said;
    const panel = state.panel && openPanel();
    if (!panel) return;
    const { title, body } = panel.view(80, maxRows);
    const lines = body.kind === "text" ? body.lines : body.rows.map(({ line }) => line);
    speak([title, ...lines.map((line) => plainText(line).trimEnd()).filter((line) => line !== "")]);
    store.dispatch({ type: "panel", panel: null });
  });
}
