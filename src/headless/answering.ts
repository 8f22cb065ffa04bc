import type { Answer, AgentCommand } from "../protocol/command.ts";
import type { AgentEvent, Ask } from "../protocol/event.ts";

/** Answers a question of the agent. The signal fires when it is withdrawn. */
export type Approve = (ask: Ask, signal: AbortSignal) => Promise<Answer>;

/** Passes on the events of an unattended run, and answers the questions among them. Throwing is a denial. */
export async function* answering(
  events: AsyncGenerator<AgentEvent, void>,
  send: (command: AgentCommand) => void,
  approve: Approve,
): AsyncGenerator<AgentEvent, void> {
  const open = new Map<string, AbortController>();
  const answer = async (ask: Ask): Promise<void> => {
    const withdrawn = new AbortController();
    open.set(ask.id, withdrawn);
    const denial: Answer = { allow: false };
    send({
      type: "answer",
      id: ask.id,
      answer: await approve(ask, withdrawn.signal).catch(() => denial),
    });
  };
  for await (const event of events) {
    yield event;
    if (event.type === "ask") void answer(event.ask);
    if (event.type === "asked") {
      open.get(event.id)?.abort();
      open.delete(event.id);
    }
  }
}
