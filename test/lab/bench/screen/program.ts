/** A program in a terminal of 120x40, and what it costs. */

import { start, type Pty } from "../../../ui/pty.ts";

/** Letters that no streamed text contains, so that an echo can be recognized. */
const letters = "QXZ";

/** The time between two keys, in milliseconds. */
const pauseMs = 120;

export type Costs = { cpuS: number; bytes: number; frames: number };
export type Echo = { medianMs: number; p95Ms: number; bytes: number };

export class Program {
  readonly #from = performance.now();
  readonly #pty: Pty;
  readonly #utf8 = new TextDecoder();
  #frames = 0;
  #heard: (text: string) => void = () => {};

  constructor(command: string[], options: { cwd?: string; env?: Record<string, string> } = {}) {
    this.#pty = start(command, {
      ...options,
      cols: 120,
      rows: 40,
      onOutput: (bytes) => {
        this.#frames++;
        this.#heard(this.#utf8.decode(bytes, { stream: true }));
      },
    });
  }

  /** Milliseconds from the start to the echo of a key that was pressed as soon as the prompt was shown. */
  async firstKeyMs(): Promise<number> {
    await this.#pty.waitFor("Ask");
    await this.#echo("Q");
    const ms = performance.now() - this.#from;
    await this.#pty.press("ctrl+u");
    return ms;
  }

  /**
   * Milliseconds from the start until a long session is completely loaded: the meter shows its
   * cost.
   */
  async completeMs(): Promise<number> {
    await this.#pty.waitFor((screen) => /\$\d/.test(screen.split("\n").at(-1) ?? ""));
    return performance.now() - this.#from;
  }

  /**
   * Milliseconds from the start until the top is shown, which is requested as soon as the prompt is
   * shown.
   */
  async topMs(text: string): Promise<number> {
    await this.#pty.waitFor("Ask");
    await this.#pty.press("home");
    await this.#pty.waitFor(text);
    return performance.now() - this.#from;
  }

  waitFor = (wanted: string | ((screen: string) => boolean)): Promise<string> =>
    this.#pty.waitFor(wanted);

  /** Sends a line, and waits until its last word comes back after "done-". */
  async run(line: string): Promise<void> {
    await this.send(line);
    await this.#pty.waitFor(`done-${line.split(" ").at(-1)}`);
  }

  async send(line: string): Promise<void> {
    await this.#pty.type(line);
    await this.#pty.waitFor(line);
    await this.#pty.press("enter");
  }

  async keys(count: number): Promise<Echo> {
    const times: number[] = [];
    const before = this.#pty.written();
    for (let n = 0; n < count; n++) {
      await Bun.sleep(pauseMs);
      times.push(await this.#echo(letters.charAt(n % letters.length)));
    }
    const bytes = (this.#pty.written() - before) / count;
    await this.#pty.press("ctrl+u");
    return { medianMs: quantile(times, 0.5), p95Ms: quantile(times, 0.95), bytes };
  }

  /** The resources that `work` costs the program, its terminal and its children. */
  async costsOf(work: () => Promise<unknown>): Promise<Costs> {
    const [cpu, bytes, frames] = [await this.#cpuS(), this.#pty.written(), this.#frames];
    await work();
    return {
      cpuS: (await this.#cpuS()) - cpu,
      bytes: this.#pty.written() - bytes,
      frames: this.#frames - frames,
    };
  }

  async memoryMb(): Promise<number> {
    const status = await Bun.file(`/proc/${this.#pty.pid}/status`).text();
    return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024;
  }

  /** Quits as a user does, so that everything is saved. */
  async quit(): Promise<void> {
    await this.#pty.press("ctrl+c", "ctrl+c");
    await this.#pty.exited;
    await this.close();
  }

  close = (): Promise<void> => this.#pty.close();

  /** Milliseconds until the letter is echoed. */
  async #echo(letter: string): Promise<number> {
    const echoed = Promise.withResolvers<number>();
    const from = performance.now();
    this.#heard = (text) => {
      if (text.includes(letter)) echoed.resolve(performance.now() - from);
    };
    await this.#pty.press(letter);
    return echoed.promise;
  }

  async #cpuS(): Promise<number> {
    const stat = await Bun.file(`/proc/${this.#pty.pid}/stat`).text();
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    // User and system time, each with that of ended children; in hundredths of a second.
    return fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks) / 100, 0);
  }
}

function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? 0;
}
