import type { Answer } from "../protocol/command.ts";
import type { Ask } from "../protocol/event.ts";
import type { ApprovalGate } from "./tool-calls.ts";

/** Where open questions to the person wait for their answers. */
export class PendingApprovals implements ApprovalGate {
  readonly #asks = new Map<string, (answer: Answer) => void>();
  readonly #backgrounds = new Map<string, () => void>();

  ask(ask: Ask): Promise<Answer> {
    return new Promise((resolve) => this.#asks.set(ask.id, resolve));
  }

  background(toolUse: string): Promise<void> {
    return new Promise((resolve) => this.#backgrounds.set(toolUse, resolve));
  }

  answer(id: string, answer: Answer): void {
    this.#asks.get(id)?.(answer);
    this.#asks.delete(id);
  }

  sendToBackground(toolUse: string): void {
    this.#backgrounds.get(toolUse)?.();
    this.#backgrounds.delete(toolUse);
  }

  /** The turn is over: whoever still waits for an answer gets a no. */
  clear(): void {
    for (const resolve of this.#asks.values()) resolve({ allow: false });
    this.#asks.clear();
    this.#backgrounds.clear();
  }
}
