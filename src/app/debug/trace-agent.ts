import { counted } from "../../base/in-words.ts";
import type { Agent } from "../../agent/agent.ts";
import { textOf } from "../../protocol/block.ts";
import type { Command } from "../../protocol/command.ts";
import type { Entry } from "../../protocol/entry.ts";
import type { AgentEvent } from "../../protocol/event.ts";
import { count, excerpt, type DebugLog } from "./debug-log.ts";

/** Writes commands and events to the log, but for those that come with every token. */
export function traceAgent(agent: Agent, log: DebugLog): Agent {
  async function* commandsOf(commands: AsyncIterable<Command>): AsyncGenerator<Command> {
    for await (const command of commands) {
      log.write("command", describeCommand(command));
      yield command;
    }
  }
  return {
    async *run(commands) {
      for await (const event of agent.run(commandsOf(commands))) {
        const text = describeEvent(event);
        if (text !== null) log.write(event.type === "entry" ? "entry" : "event", text);
        yield event;
      }
    },
    close: () => agent.close(),
    get rules() {
      return agent.rules;
    },
  };
}

function describeCommand(command: Command): string {
  if (command.type !== "prompt") return excerpt(JSON.stringify(command));
  return `prompt: ${excerpt(textOf(command.content))}`;
}

function describeEvent(event: AgentEvent): string | null {
  switch (event.type) {
    case "delta":
    case "progress":
      return null;
    case "entry":
      return describeEntry(event.entry);
    case "compaction":
      return event.state.step === "writing" ? null : excerpt(JSON.stringify(event));
    default:
      return excerpt(JSON.stringify(event));
  }
}

function describeEntry(entry: Entry): string {
  const { id, type } = entry;
  switch (entry.type) {
    case "cut": {
      const { tier, trigger, reason, changes, price } = entry;
      return `${id} cut by ${tier} (${trigger}): ${reason}; ${counted(changes.length, "change")}, ${count(price.usedBefore)} to ${count(price.usedAfter)} tokens`;
    }
    case "assistant": {
      const calls = entry.content.flatMap((block) =>
        block.type === "tool_use" ? [`${block.name} ${JSON.stringify(block.input)}`] : [],
      );
      return `${id} assistant, ${entry.stop}: ${excerpt([textOf(entry.content), ...calls].join(" "))}`;
    }
    case "result": {
      const failed = entry.isError ? ", failed" : "";
      return `${id} result of ${entry.tool}, ${counted(entry.bytes, "byte")}${failed}: ${excerpt(textOf(entry.content))}`;
    }
    case "session":
      return `${id} session ${entry.session} in ${entry.cwd}, ${counted(entry.tools.length, "tool")}`;
    case "user":
    case "context":
      return `${id} ${type}: ${excerpt(textOf(entry.content))}`;
    default:
      return `${id} ${type}: ${excerpt(JSON.stringify(entry))}`;
  }
}
