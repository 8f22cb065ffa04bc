/** The subcommands, such as `mini-claude sessions`. Each is loaded only when it is used. */

import type { Flags } from "../../config/flags.ts";
import { pathsFor } from "../../config/paths.ts";
import { onClosedPipe } from "../closed-pipe.ts";
import { onUncaughtError, writeData, writeError } from "../output.ts";

type Environment = Record<string, string | undefined>;

/** Returns the exit code. */
export async function runSubcommand(
  { name, args }: NonNullable<Flags["command"]>,
  { env, cwd }: { env: Environment; cwd: string },
): Promise<number> {
  onClosedPipe(() => process.exit(0));
  const paths = pathsFor(env, cwd);
  onUncaughtError();
  const out = writeData;
  const err = writeError;
  switch (name) {
    case "sessions": {
      const { runSessions } = await import("./sessions.ts");
      return runSessions(args, paths, out);
    }
    case "import": {
      const { importSessions } = await import("./import.ts");
      return importSessions(args, { paths, env, cwd, out, err });
    }
    case "doctor": {
      const { doctor } = await import("./doctor.ts");
      return doctor(paths, env, cwd, out);
    }
    case "trust": {
      const { runTrust } = await import("./trust.ts");
      return runTrust(args, { paths, env, cwd, out });
    }
    case "auth": {
      const { runAuth } = await import("./auth.ts");
      return runAuth(args, { paths, env, out });
    }
    case "acp": {
      const { runAcp } = await import("./acp.ts");
      return runAcp(args, env, cwd);
    }
    case "mcp": {
      const { runMcp } = await import("./mcp.ts");
      return runMcp(args, { paths, env, cwd, out, err });
    }
    case "replay": {
      const { runReplay } = await import("../../apps/replay/replay.ts");
      const { rulesOf } = await import("../../model/catalog.ts");
      const { entriesIn } = await import("../../apps/import/entries.ts");
      return runReplay(args, { out, err, rulesOf, readForeign: entriesIn });
    }
  }
}
