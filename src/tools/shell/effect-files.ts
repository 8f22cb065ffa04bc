/** New files for other programs that a confined command made are shown to the user before they stay. */

import { join } from "node:path";
import { textOfRegular } from "../../base/regular-file.ts";
import { unreadable } from "../../snapshots/raw-files.ts";
import type { Change } from "../../snapshots/scan.ts";
import type { Finished, Snapshots } from "../../snapshots/snapshots.ts";
import { isInstalled } from "../../trust/files/effects.ts";
import { isHarmlessConfig, listAddresses } from "../../trust/git/config.ts";
import { runsLater, type HomeFolders } from "../../trust/files/sensitive.ts";
import type { ToolRun } from "../tool.ts";
import { holds } from "../workspace.ts";
import { describeAside, keepCopies, putBack, setAside, type Aside } from "./aside.ts";

type Sources = {
  folders: HomeFolders;
  show(path: string): string;
  snapshots: Pick<Snapshots, "contents" | "takeBack" | "warm" | "wrote">;
};

/**
 * A confined command that has ended. `writable`: paths it may write outside the workspace. `ask`: null if the run is
 * unattended.
 */
type Ended = Pick<ToolRun, "toolUse"> & {
  ask: ToolRun["ask"] | null;
  writable: readonly string[];
  wasAsked: boolean;
};

/** `inner`: in new repositories, for example. They stay, or do not, and are not undone by themselves. */
type Changed = Pick<Finished, "files" | "inner">;

export type EffectFiles = ReturnType<typeof effectFiles>;

export function effectFiles({ folders, show, snapshots }: Sources) {
  const isWatched = (path: string): boolean => runsLater(path, folders) && !isInstalled(show(path));

  async function hasEffect(
    change: Change,
    { inner }: Changed,
    { ask, writable, wasAsked }: Ended,
  ): Promise<boolean> {
    const { path, before, after } = change;
    // The sandbox protects what was there before, so that it was probably the user.
    if (change.unsure && before !== null && (after === null || ask === null)) return false;
    if (after === unreadable && before === null) return true;
    if (!isWatched(path) || after === "folder") return false;
    // Nothing in a large ignored folder is examined, so that a new one counts as a whole; of a repository, what git runs.
    if (after?.startsWith("out:")) return before === null && !path.endsWith("/.git");
    if (writable.some((folder) => holds(folder, path))) return false;
    // In a repository outside the workspace, git itself writes all files except those that it runs.
    if (!folders.roots?.some((root) => holds(root, path))) return runByGit.test(path);
    if (!/(?:^|\/)\.git\//.test(path)) return true;
    // No command can write to the settings of a repository that was there before.
    if (harmlessInGit.test(path) || (change.unsure && !inner.includes(change))) return false;
    if (!path.endsWith("/config")) return true;
    const config = await textOfRegular(path, maxConfigBytes);
    // Our git sets the folder of hooks itself; the user's git, which comes next, does not.
    if (config === null || /hookspath/i.test(config) || !isHarmlessConfig(config)) return true;
    if (wasAsked) return false;
    // A later push would send the repository there, or run the hooks of a folder.
    const old = before === null ? null : await snapshots.contents([before]);
    const known = listAddresses(Buffer.from(old?.get(before ?? "") ?? []).toString("utf8"));
    return listAddresses(config).some((one) =>
      known.every(({ address }) => address !== one.address),
    );
  }

  const namesOf = (asides: readonly Aside[]): string =>
    asides
      .map(({ change, state }) => show(change.path) + (state === "stuck" ? " (still there)" : ""))
      .join(", ");

  return {
    /** The changes that stay, and a note for the model about the rest. */
    async keep(changed: Changed, ended: Ended): Promise<{ files: Change[]; note: string }> {
      const { stay, asides, taken } = await setAside(
        [...changed.files, ...changed.inner],
        (change) => hasEffect(change, changed, ended),
        snapshots,
      );
      const moved = asides.filter(({ state }) => state !== "stuck").map(({ change }) => change);
      snapshots.wrote([...moved, ...taken].map(({ path }) => path));
      const isInner = (of: string): boolean => changed.inner.some(({ path }) => path === of);
      const files = stay.filter(({ path }) => !isInner(path));
      if (asides.length === 0) return { files, note: "" };
      // What is still running may make them again, and that is another change.
      await snapshots.warm();
      const shown = await Promise.all(asides.map((aside) => describeAside(aside, show, snapshots)));
      const answer = await ended.ask?.({
        id: `${ended.toolUse}-aside`,
        toolUse: ended.toolUse,
        tool: "Bash",
        title: "Keep these changes of the command?",
        detail: shown.join("\n\n"),
        detailKind: "text",
        warning: `Other programs run these files or read settings from them by themselves.${asides.some(({ change }) => change.unsure) ? possiblyYours : ""}`,
        rule: null,
      });
      if (!answer?.allow) {
        const id = `${Date.now()}-${ended.toolUse.replace(/[^\w-]/g, "")}`;
        const folder = join(folders.own, "aside", id);
        const copies = (await keepCopies(asides, folder, snapshots))
          ? ` Copies are in ${folder}.`
          : "";
        return {
          files,
          note:
            `[Not kept, because other programs run them or read settings from them: ${namesOf(asides)}.${copies} ` +
            "To change such a file, use Write or Edit, which need approval.]",
        };
      }
      const { back, left } = await putBack(asides, taken, snapshots);
      snapshots.wrote(back.map(({ path }) => path));
      return {
        files: [...files, ...back.filter(({ path }) => !isInner(path))],
        note: left.length === 0 ? "" : `[Could not be put back: ${namesOf(left)}.]`,
      };
    },
  };
}

const possiblyYours = " If you made them yourself meanwhile, keep them.";

const maxConfigBytes = 1024 ** 2;

const runByGit =
  /\/(?:hooks\/(?![^/]*\.sample$)[^/]*|info\/attributes|config(?:\.worktree)?|commondir|gitdir)$/;
const harmlessInGit = /\.sample$|\/info\/(?:exclude|refs|sparse-checkout)$/;
