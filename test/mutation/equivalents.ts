/** Every known equivalent. A test fails when an entry no longer matches anything. */

import type { Equivalent } from "./equivalent.ts";
import * as agent from "./equivalents/agent.ts";
import * as cli from "./equivalents/cli.ts";
import * as context from "./equivalents/context.ts";
import * as control from "./equivalents/control.ts";
import * as disk from "./equivalents/disk.ts";
import * as headless from "./equivalents/headless.ts";
import * as hooks from "./equivalents/hooks.ts";
import * as log from "./equivalents/log.ts";
import * as logSearch from "./equivalents/log-search.ts";
import * as mcp from "./equivalents/mcp.ts";
import * as model from "./equivalents/model.ts";
import * as permission from "./equivalents/permission.ts";
import * as print from "./equivalents/print.ts";
import * as project from "./equivalents/project.ts";
import * as protocol from "./equivalents/protocol.ts";
import * as run from "./equivalents/run.ts";
import * as tools from "./equivalents/tools.ts";

const rooms = [
  agent,
  cli,
  context,
  control,
  disk,
  headless,
  hooks,
  log,
  logSearch,
  mcp,
  model,
  permission,
  print,
  project,
  protocol,
  run,
  tools,
];

export const equivalents: readonly Equivalent[] = rooms.flatMap((room) => room.equivalents);
