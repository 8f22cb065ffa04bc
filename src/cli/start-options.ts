import type { Flags } from "../config/flags.ts";
import type { Paths } from "../config/paths.ts";
import type { Settings } from "../config/settings.ts";
import type { Tracer } from "../debug/tracer.ts";
import type { Project } from "./open-project.ts";

/** Everything the command line, the environment and the settings file decide about a run. */
export type StartOptions = {
  flags: Flags;
  settings: Settings;
  /** Where each setting that is not a default came from. */
  sources: ReadonlyMap<string, string>;
  /** What to report at the start, one sentence each: errors in the settings, the debug log. */
  notices: readonly string[];
  tracer?: Tracer;
  /** The model that this start asks for; a resumed session keeps its own when there is none. */
  requestedModel?: string;
  paths: Paths;
  env: Record<string, string | undefined>;
  cwd: string;
  project: Project;
};
