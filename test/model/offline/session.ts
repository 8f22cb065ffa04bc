import { createOfflineClient } from "../../../src/model/offline/client.ts";
import { blockText } from "../../../src/protocol/block.ts";
import type { AgentCommand } from "../../../src/protocol/command.ts";
import type { EntryOf } from "../../../src/protocol/entry.ts";
import type { AgentEvent } from "../../../src/protocol/event.ts";
import { of } from "../../agent/harness.ts";
import { realAgent } from "../../agent/real-agent.ts";
import { instantClock } from "../../instant-clock.ts";

type Answer = {
  text: string;
  /** Titles of the calls that needed permission. */
  asked: string[];
  /** Tokens that the question added to the context, its calls and results included. */
  tokens: number;
};

/** The offline model in a real session, in a folder with these files. */
export async function openSession(files: Record<string, string>) {
  const permission = { allow: true, scope: "once" } as const;
  const agent = await realAgent({
    model: createOfflineClient({ windowTokens: 32_000 }),
    modelName: "offline",
    clock: instantClock(Date.now, []),
    files,
  });
  const { folder, log } = agent;

  const send = (command: AgentCommand): Promise<AgentEvent[]> =>
    agent.send(command, (event, answer) => {
      if (event.type === "ask") answer({ type: "answer", id: event.ask.id, answer: permission });
    });

  const answers = (): EntryOf<"assistant">[] => of(log.path, "assistant");

  async function ask(question: string): Promise<Answer> {
    const before = answers();
    const events = await send({ type: "prompt", content: [{ type: "text", text: question }] });
    const given = answers().slice(before.length);
    const used = ({ usage }: EntryOf<"assistant">): number => usage.input + usage.output;
    const last = given.at(-1);
    const start = before.at(-1) ?? given[0];
    return {
      text: blockText(last?.content ?? []),
      asked: events.flatMap((event) =>
        event.type === "ask"
          ? [event.ask.detailKind === "command" ? event.ask.detail : event.ask.title]
          : [],
      ),
      tokens: last && start ? used(last) - used(start) : 0,
    };
  }

  return {
    folder,
    log,
    ask,
    send,
    [Symbol.asyncDispose]: agent.close,
  };
}
