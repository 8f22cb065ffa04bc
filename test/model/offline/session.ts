import { join } from "node:path";
import { blockText } from "../../../src/protocol/block.ts";
import type { AgentCommand } from "../../../src/protocol/command.ts";
import type { AgentEvent } from "../../../src/protocol/event.ts";
import { of } from "../../agent/harness.ts";
import { openedRuns, prompt, turn } from "../../run/opened.ts";

/** The offline model in real sessions, each in a folder with some files; for one test file. */
export function offlineSessions() {
  const runs = openedRuns("offline");
  return async (files: Record<string, string>) => {
    for (const [path, text] of Object.entries(files)) await Bun.write(join(runs.cwd, path), text);
    const opened = await runs.open(["--offline"]);
    const { log } = opened;
    const send = (command: AgentCommand): Promise<AgentEvent[]> =>
      turn(opened, command, (event) => {
        const answer = { allow: true, scope: "once" } as const;
        if (event.type === "ask") opened.send({ type: "answer", id: event.ask.id, answer });
      });
    return {
      folder: runs.cwd,
      log,
      send,
      async ask(question: string) {
        const events = await send(prompt(question));
        return {
          text: blockText(of(log.path, "assistant").at(-1)?.content ?? []),
          /** Titles of the calls that needed permission. */
          asked: events.flatMap((event) => (event.type === "ask" ? [event.ask.title] : [])),
        };
      },
      [Symbol.asyncDispose]: () => opened.close(),
    };
  };
}
