/** The left button of the mouse: a click, or a drag that selects and scrolls past the edges. */

import type { Host } from "./host.ts";
import type { MouseEvent } from "./keys.ts";
import type { Selection } from "./selection.ts";

/** Time between two steps while the mouse is held past an edge. */
const stepMs = 50;

/** The part of the screen that scrolls. */
type Scrollable = {
  /** Its first row, and the first one below it. */
  edges: { top: number; bottom: number };
  scroll(lines: number): void;
};

export class Drag {
  readonly #host: Pick<Host, "nowMs" | "copy" | "flash">;
  readonly #selection: Selection;
  readonly #scrollable: Scrollable;
  /** The drag started in the part that scrolls. */
  #isInside = false;
  #timer: ReturnType<typeof setInterval> | undefined;

  constructor(
    host: Pick<Host, "nowMs" | "copy" | "flash">,
    selection: Selection,
    scrollable: Scrollable,
  ) {
    this.#host = host;
    this.#selection = selection;
    this.#scrollable = scrollable;
  }

  /** Cancels the drag and selects nothing. */
  clear(): void {
    clearInterval(this.#timer);
    this.#selection.clear();
  }

  /** Returns true if the event ended a click. */
  take(event: MouseEvent): boolean {
    clearInterval(this.#timer);
    if (event.action === "press") {
      const { top, bottom } = this.#scrollable.edges;
      this.#isInside = event.row >= top && event.row < bottom;
      this.#selection.press(event, this.#host.nowMs);
    } else if (event.action === "drag") this.#drag(event);
    else {
      const text = this.#selection.release();
      if (text === null) return true;
      if (text !== "") {
        this.#host.copy(text);
        this.#host.flash(`Copied ${text.length.toLocaleString("en")} characters.`);
      }
    }
    return false;
  }

  #drag(event: MouseEvent): void {
    const { top, bottom } = this.#scrollable.edges;
    const step = event.row <= top ? -1 : event.row >= bottom ? 1 : 0;
    if (!this.#isInside || step === 0) return this.#selection.drag(event);
    const select = (): void => {
      const edges = this.#scrollable.edges;
      const row = step < 0 ? edges.top : edges.bottom - 1;
      const column = event.row > row ? Infinity : event.row < row ? 0 : event.column;
      this.#selection.drag({ row, column });
    };
    select();
    this.#timer = setInterval(() => {
      // Select what the last step scrolled into view, then take the next one.
      select();
      this.#scrollable.scroll(step);
    }, stepMs);
  }
}
