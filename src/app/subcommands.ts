/** Runs a subcommand, answers its `--help` and shows its progress. */

import type { Flags } from "../config/flags.ts";
import { pathsFor } from "../config/paths.ts";
import type { Subcommand } from "../config/help.ts";
import type { SubcommandIo } from "../config/subcommands.ts";
import { onClosedPipe, onUncaughtError, writeData, writeError } from "../headless/print/output.ts";
import { fitHelp } from "../base/fit.ts";
import { ProgressLine } from "./progress-line.ts";

type SubcommandModule = {
  /** Printed for `--help`. Absent: `run` handles `--help`, which may be an argument of a server's command. */
  help?: string;
  run(args: readonly string[], io: SubcommandIo): Promise<number> | number;
};

/** Loaded on demand. */
const apps: Record<Subcommand, () => Promise<SubcommandModule>> = {
  sessions: () => import("../commands/sessions/sessions.ts"),
  import: async () => {
    const { help, run } = await import("../commands/import/import.ts");
    const { offeredTools } = await import("../run/toolbox.ts");
    return { help, run: (args, io) => run(args, io, offeredTools) };
  },
  doctor: () => import("../commands/doctor/doctor.ts"),
  trust: () => import("../commands/trust/trust.ts"),
  acp: () => import("../headless/acp/acp.ts"),
  mcp: () => import("../commands/mcp/mcp.ts"),
  auth: () => import("../commands/auth/auth.ts"),
  update: () => import("../commands/update/update.ts"),
  help: () => import("./help.ts"),
};

/** Returns the exit code. */
export async function runSubcommand(
  { name, args }: NonNullable<Flags["command"]>,
  { env, cwd }: Pick<SubcommandIo, "env" | "cwd">,
): Promise<number> {
  onClosedPipe(() => process.exit(0));
  onUncaughtError();
  const app = await apps[name]();
  if (app.help !== undefined && asksForHelp(args)) {
    writeData(fitHelp(app.help));
    return 0;
  }
  const line = new ProgressLine(process.stderr);
  const clearingLine =
    (write: (text: string) => void) =>
    (text: string): void => {
      line.clear();
      write(text);
    };
  try {
    return await app.run(args, {
      paths: pathsFor(env, cwd),
      env,
      cwd,
      out: clearingLine(writeData),
      err: clearingLine(writeError),
      progress: line.show,
    });
  } finally {
    line.clear();
  }
}

function asksForHelp(args: readonly string[]): boolean {
  const end = args.indexOf("--");
  const own = end === -1 ? args : args.slice(0, end);
  return own.some((arg) => arg === "-h" || arg === "--help");
}
