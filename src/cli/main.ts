/** What the program does, by its command line; gives the exit code. */

import { UsageError, type Flags } from "../config/flags.ts";
import { helpText } from "../config/help.ts";
import { pathsFor, type Paths } from "../config/paths.ts";
import { loadSettings } from "../config/settings.ts";
import { version } from "../../package.json";

type Environment = Record<string, string | undefined>;

/** Exit codes of the README. */
const failed = 1;
const wrongUse = 2;

export async function main(parse: () => Flags, env: Environment, cwd: string): Promise<number> {
  let verbose = false;
  try {
    const flags = parse();
    verbose = flags.verbose;
    if (flags.version) return say(`mini-claude ${version}\n`);
    if (flags.help) return say(helpText);
    return await start(flags, env, cwd);
  } catch (error) {
    if (verbose && error instanceof Error) process.stderr.write(`${error.stack}\n`);
    else
      process.stderr.write(
        `mini-claude: ${error instanceof Error ? error.message : String(error)}\n`,
      );
    return error instanceof UsageError ? wrongUse : failed;
  }
}

async function start(flags: Flags, env: Environment, cwd: string): Promise<number> {
  const paths = pathsFor(env, cwd);
  if (flags.command) return runSubcommand(flags.command, paths, env, cwd);
  const { settings, problems } = loadSettings({ env, file: paths.settings, flags: flags.settings });
  const wrongFlag = problems.find((problem) => problem.startsWith("--"));
  if (wrongFlag) throw new UsageError(wrongFlag);
  const parts = { flags, settings, problems, paths, env, cwd };
  const prompt = process.stdin.isTTY ? "" : await Bun.stdin.text();
  if (flags.print || (!process.stdin.isTTY && prompt.trim() !== "")) {
    const { runHeadless } = await import("./headless.ts");
    return runHeadless(
      parts,
      [flags.prompt, prompt].filter((text) => text.trim() !== "").join("\n\n"),
    );
  }
  if (!process.stdin.isTTY || !process.stdout.isTTY) {
    throw new UsageError(
      "There is no terminal to draw on; give a prompt with -p, or start it in a terminal.",
    );
  }
  const { runInteractive } = await import("./interactive.ts");
  return runInteractive(parts);
}

async function runSubcommand(
  { name, args }: NonNullable<Flags["command"]>,
  paths: Paths,
  env: Environment,
  cwd: string,
): Promise<number> {
  // `| head` has read enough: that is no failure of ours.
  process.stdout.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code !== "EPIPE") throw error;
    process.exit(0);
  });
  const out = (text: string): void => void process.stdout.write(text);
  const err = (text: string): void => void process.stderr.write(text);
  switch (name) {
    case "sessions": {
      const { runSessions } = await import("./sessions.ts");
      return runSessions(args, paths, out);
    }
    case "import": {
      const { importSessions } = await import("./import.ts");
      return importSessions(args, { paths, env, cwd, out, err });
    }
    case "replay": {
      const { runReplay } = await import("../apps/replay/replay.ts");
      const { rulesOf } = await import("../model/catalog.ts");
      const { entriesIn } = await import("../apps/import/entries.ts");
      return runReplay(args, { out, err, rulesOf, readForeign: entriesIn });
    }
  }
}

function say(text: string): number {
  process.stdout.write(text);
  return 0;
}
