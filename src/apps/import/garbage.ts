import { edenGC, fullGC } from "bun:jsc";

/** Converting so much of a file leaves about 10 MB of garbage. */
const youngBytes = 200_000;
/** Of lists that grew, the shorter ones are old when they are dropped. */
const oldBytes = 16 * 1024 * 1024;

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
    fullGC();
  }
}
