import { edenGC, gcAndSweep } from "bun:jsc";

/** Converting so much of a file leaves about 3 MB of garbage. */
const youngBytes = 50_000;
/** What is dropped late is old by then. Swept at once, it leaves 4 % of a file of 200 MB less in memory. */
const oldBytes = 8 * 1024 * 1024;

/**
 * Collects the garbage of a loop that reads a long file. Left to itself, the engine waits until there is
 * more garbage than data, and gives none of that memory back while the loop runs. Collecting what is
 * young costs nearly nothing.
 */
export class Garbage {
  #young = 0;
  #old = 0;

  /** So many bytes of the file were read, and what came before them is no longer needed. */
  after(bytes: number): void {
    this.#young += bytes;
    this.#old += bytes;
    if (this.#young < youngBytes) return;
    this.#young = 0;
    if (this.#old < oldBytes) return void edenGC();
    this.#old = 0;
    gcAndSweep();
  }
}
