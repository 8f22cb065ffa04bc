/** Whether other programs would run a file that a command changed, or read settings from it. */

import { isHarmlessConfig } from "../../trust/git/harmless-config.ts";
import { listAddresses } from "../../trust/git/remotes.ts";
import { isInstalled } from "../../trust/effects.ts";
import { runsLater, type HomeFolders } from "../../trust/sensitive.ts";
import type { Execution } from "../tool.ts";
import { holds } from "../workspace.ts";
import { unseen } from "./look-at.ts";
import type { StateChange } from "./workspace-state.ts";

/** Contents of a changed file; null where there is none. */
export type ChangedContent = {
  /** Now; null, too, for links, devices, pipes and large files. */
  text(): Promise<string | null>;
  before(): Uint8Array | null;
  after(): Uint8Array | null;
};

type ChangedBy = {
  execution: Execution;
  wasAsked: boolean;
  /** Files that other programs reached through a symlink before the command. */
  ledTo: ReadonlySet<string>;
};

export function judgeChanges(folders: HomeFolders, show: (path: string) => string) {
  const isWatched = (path: string): boolean => runsLater(path, folders) && !isInstalled(show(path));

  async function hasEffect(
    { path, before, after }: StateChange,
    { execution, wasAsked, ledTo }: ChangedBy,
    content: ChangedContent,
  ): Promise<boolean> {
    if (after === unseen && before === null) return true;
    if (!folders.roots?.some((root) => holds(root, path)))
      return /\/(?:hooks\/[^.]+|info\/attributes|config(?:\.worktree)?|commondir|gitdir)$/.test(
        path,
      );
    if (ledTo.has(path))
      return !wasAsked && !execution.writable.some((folder) => holds(folder, path));
    const way = show(path);
    if (!isWatched(path) || after === "folder") return false;
    if (execution.writable.some((folder) => holds(folder, path))) return false;
    if (!/(?:^|\/)\.git\//.test(way)) return true;
    if (way.endsWith(".git/index")) return losesSettings(content);
    if (!runByGit.test(way) || harmlessInGit.test(way)) return false;
    if (way.endsWith("/git-rebase-todo"))
      return /^\s*(?:x|exec)\b/m.test((await content.text()) ?? "exec");
    if (!way.endsWith("/config")) return true;
    const config = await content.text();
    // Our git sets the folder of hooks itself; the user's git, which comes next, does not.
    if (config === null || /hookspath/i.test(config) || !isHarmlessConfig(config)) return true;
    return !wasAsked && addsAddress(config, content);
  }

  return { isWatched, hasEffect };
}

/** A later push would send the repository there, or run the hooks of a folder. */
function addsAddress(config: string, { before }: ChangedContent): boolean {
  const known = listAddresses(Buffer.from(before() ?? []).toString("utf8"));
  return listAddresses(config).some((address) => !known.includes(address));
}

/** Git no longer knows a settings file, which would then pass for the user's own. */
function losesSettings({ before, after }: ChangedContent): boolean {
  const [was = 0, is = 0] = [before(), after()].map((index) =>
    index ? Buffer.from(index).toString("latin1").split("settings.local.json").length : 0,
  );
  return is < was;
}

/** Files in `.git` from which git runs something. */
const runByGit =
  /(?:^|\/)\.git\/(?:.*\/)?(?:hooks\/|info\/|remotes\/|branches\/|git-rebase-todo$|(?:config|config\.worktree|commondir|gitdir)$)/;
const harmlessInGit =
  /\.sample$|\/info\/(?:exclude|refs|sparse-checkout)$|\/objects\/info\/(?:packs$|commit-graph)/;
