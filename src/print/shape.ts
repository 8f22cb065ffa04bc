import type { UserBlock } from "../protocol/block.ts";
import type { Command } from "../protocol/command.ts";
import type { Entry } from "../protocol/entry.ts";
import type { AgentEvent } from "../protocol/event.ts";
import type { TurnReport } from "./run-stats.ts";

/** What a run is asked to do. One job is done after another, and each has its own result. */
export type Job =
  /** `uuid`: the client's name for the message. */
  | { kind: "prompt"; content: UserBlock[]; uuid?: string }
  | { kind: "compact"; focus?: string }
  /** Changes something for what follows; nothing is printed. */
  | { kind: "change"; command: Command };

/** How a run is printed. */
export interface Shape {
  begin(job: Job): void;
  event(event: AgentEvent): void;
  /** An entry of a subagent; `parent`: the call that started it. */
  nested?(parent: string, entry: Entry): void;
  end(report: TurnReport): void;
}
