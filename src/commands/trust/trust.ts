/** `mini-claude trust`: decides, lists and forgets which folders' files are trusted. */

import { realpathSync, statSync } from "node:fs";
import { resolve } from "node:path";
import { type Paths, realHome } from "../../config/paths.ts";
import { parseOptions, type SubcommandIo } from "../../config/subcommands.ts";
import { UsageError } from "../../config/usage-error.ts";
import { projectRoot, readTrust, saveTrust } from "../../trust/project/project.ts";
import { stateFile } from "../../extensions/mcp/config.ts";

export const help = `mini-claude trust [FOLDER]            trust the files of a folder (by default this one)
mini-claude trust --remove [FOLDER]   forget the decision; the next start asks again
mini-claude trust --approve [FOLDER]  trust it, and approve all that it asks for; prints that
mini-claude trust --list              list the decisions so far

Trust covers the whole repository and the folders below it, but no other repository there. Its files
decide what the agent is told and what runs automatically: instructions (AGENTS.md, CLAUDE.md), git,
project settings, hooks, commands, skills and MCP servers. Hooks, rules that allow, MCP servers and
tools of commands hold once they are approved, and are asked about again when they change.
`;

/** Returns the exit code. Throws with a sentence when the folder does not exist or nothing can be saved. */
export async function run(
  args: readonly string[],
  { paths, env, cwd, out, err }: SubcommandIo,
): Promise<number> {
  const { values, positionals } = parseOptions(args, {
    list: { type: "boolean" },
    remove: { type: "boolean" },
    approve: { type: "boolean" },
  });
  if (positionals.length > 1) throw new UsageError("trust takes one folder.");
  if (values.list) out(list(paths));
  else {
    const folder = resolve(cwd, positionals[0] ?? ".");
    if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory())
      throw new UsageError(`There is no folder ${folder}.`);
    const root = projectRoot(folder, realHome(env));
    saveTrust(paths.trust, root, values.remove ? null : "trusted");
    if (values.remove) stateFile(paths.mcp).forget(root);
    if (values.approve) {
      const { decideAsks, projectAsks, unusableFiles } =
        await import("../../trust/project/asks.ts");
      const project = { root, folder: realpathSync(folder) };
      const asks = await projectAsks(project, paths.root);
      decideAsks(root, asks, true, paths);
      for (const { text } of asks) out(`Approved: ${text}\n`);
      for (const problem of await unusableFiles(project)) err(`${problem}\n`);
    }
    out(values.remove ? `Removed: ${root}\n` : `Trusted: ${root}\n`);
  }
  return 0;
}

function list(paths: Paths): string {
  const lines = [...readTrust(paths.trust)].map(
    ([folder, decision]) => `${decision.padEnd(10)} ${folder}\n`,
  );
  return lines.sort().join("") || "No decisions yet.\n";
}
