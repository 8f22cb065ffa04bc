/** Subagents at work, as the tasks of which Claude Code tells its clients: one message at the start, one at the end. */

import { blockText } from "../../protocol/block.ts";
import type { AgentEvent } from "../../protocol/event.ts";
import type { RunningSubagent } from "../../protocol/subagent-definition.ts";

/** Fields of every message of a subagent. */
export const taskOrigin = ({ toolUse, session, type }: RunningSubagent): object => ({
  parent_tool_use_id: toolUse,
  agent_id: session,
  subagent_type: type,
});

/** Takes what happens in subagents. */
export function taskMessages(print: (message: object) => void) {
  /** The last words of those at work. */
  const working = new Map<string, string>();
  return ({ session, toolUse, type, prompt }: RunningSubagent, event: AgentEvent): void => {
    const ids = { type: "system", task_id: session, tool_use_id: toolUse };
    if (!working.has(session)) {
      working.set(session, "");
      const about = { description: type, subagent_type: type, task_type: "local_agent", prompt };
      print({ ...ids, subtype: "task_started", ...about });
    }
    if (event.type === "entry" && event.entry.type === "assistant")
      working.set(session, blockText(event.entry.content).trim() || (working.get(session) ?? ""));
    if (event.type !== "idle") return;
    const status = event.why === "done" ? "completed" : event.why;
    print({ ...ids, subtype: "task_notification", status, summary: working.get(session) });
    working.delete(session);
  };
}
