import type { Entry } from "../protocol/entry.ts";
import type { AgentEvent } from "../protocol/event.ts";
import type { Job } from "./jobs.ts";
import type { TurnReport } from "./run-stats.ts";

/** How a run without a screen is printed: as text, as JSON, or as a line of JSON for each event. */
export interface Shape {
  /** A turn starts with this job. */
  begin(job: Job): void;
  event(event: AgentEvent): void;
  /** An entry of a subagent; `parent`: the call that started it. */
  nested?(parent: string, entry: Entry): void;
  /** The turn has ended. */
  end(report: TurnReport): void;
}
