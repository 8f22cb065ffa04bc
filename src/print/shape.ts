import type { Entry } from "../protocol/entry.ts";
import type { AgentEvent } from "../protocol/event.ts";
import type { Job } from "./jobs.ts";
import type { TurnReport } from "./run-stats.ts";

/** How a run is printed. */
export interface Shape {
  begin(job: Job): void;
  event(event: AgentEvent): void;
  /** An entry of a subagent; `parent`: the call that started it. */
  nested?(parent: string, entry: Entry): void;
  end(report: TurnReport): void;
}
