import { type Progress, progressBar } from "../base/long-work.ts";
import { toTerminal } from "../base/escape-terminal.ts";

/** Time between two states of the bar; work that is done sooner shows none. */
const stepMs = 300;

const cells = 24;

type Terminal = { isTTY?: boolean; columns?: number; write(text: string): unknown };

/** A bar on the last line of a terminal, which is cleared before anything else is written. */
export class ProgressLine {
  readonly #terminal: Terminal;
  #shownMs = performance.now();
  #isShown = false;

  constructor(terminal: Terminal) {
    this.#terminal = terminal;
  }

  readonly show: Progress = (done, of, what) => {
    const now = performance.now();
    if (!this.#terminal.isTTY || now - this.#shownMs < stepMs) return;
    this.#shownMs = now;
    const line = `${progressBar(done, of, cells)} ${done + 1} of ${of}  ${toTerminal(what)}`;
    const columns = (this.#terminal.columns ?? 80) - 1;
    this.#terminal.write(`\r\x1b[K${Bun.sliceAnsi(line, 0, columns)}`);
    this.#isShown = true;
  };

  clear(): void {
    if (this.#isShown) this.#terminal.write("\r\x1b[K");
    this.#isShown = false;
  }
}
