import type { Answer } from "../protocol/command.ts";
import type { Ask, Events } from "../protocol/event.ts";

export type ApprovalGate = {
  /** Resolves with the user's answer; with a denial when the turn is stopped. */
  ask(ask: Ask): Promise<Answer>;
  /** Resolves when the user sends this running call to the background. */
  background(toolUse: string): Promise<void>;
};

/** Asks the user, and reports the question and that it was answered. */
export async function* askUser(approvals: Pick<ApprovalGate, "ask">, ask: Ask): Events<Answer> {
  yield { type: "ask", ask };
  const answer = await approvals.ask(ask);
  yield { type: "asked", id: ask.id };
  return answer;
}

/** Questions to the user that are waiting for an answer. */
export class PendingApprovals implements ApprovalGate {
  readonly #asks = new Map<string, (answer: Answer) => void>();
  readonly #backgrounds = new Map<string, () => void>();
  /** Calls that were sent to the background before they ran. */
  readonly #early = new Set<string>();

  ask(ask: Ask): Promise<Answer> {
    return new Promise((resolve) => this.#asks.set(ask.id, resolve));
  }

  background(toolUse: string): Promise<void> {
    if (this.#early.delete(toolUse)) return Promise.resolve();
    return new Promise((resolve) => this.#backgrounds.set(toolUse, resolve));
  }

  answer(id: string, answer: Answer): void {
    this.#asks.get(id)?.(answer);
    this.#asks.delete(id);
  }

  sendToBackground(toolUse: string): void {
    const send = this.#backgrounds.get(toolUse);
    if (send) send();
    else this.#early.add(toolUse);
    this.#backgrounds.delete(toolUse);
  }

  /** Pending questions are denied. */
  clear(): void {
    for (const id of this.#asks.keys()) this.answer(id, { allow: false });
    this.#backgrounds.clear();
    this.#early.clear();
  }
}
