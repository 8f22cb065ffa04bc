/**
 * A copy-on-write view of the workspace: the kernel's overlay file system, mounted over the opened folders in
 * the command's own mount namespace. What the command writes lands in a private folder.
 */

import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { attempt } from "../../base/guards.ts";
import type { Overlay } from "../../tools/tool.ts";
import { holds } from "../../tools/workspace.ts";
import { isOpaque } from "./overlay-marks.ts";

/** Never programs of the PATH, which may lead into the opened folder. */
const programFolders = ["/usr/bin", "/bin", "/usr/sbin", "/sbin", "/run/current-system/sw/bin"];

const findProgram = (name: string): string | undefined =>
  programFolders.map((folder) => join(folder, name)).find((path) => existsSync(path));

/**
 * Paths are given as open files: in the options of a mount, commas and colons mean something else. "volatile": else
 * the end of a command waits until all that anybody wrote to this disk is on it.
 */
const stage =
  'mount=$1; shift; while [ "$1" != -- ]; do exec 3<"$1" 4<"$2" 5<"$3"; "$mount" -t overlay overlay -o ' +
  "lowerdir=/proc/self/fd/3,upperdir=/proc/self/fd/4,workdir=/proc/self/fd/5,userxattr,xino=off,volatile " +
  '"$1" || exit 126; shift 3; done; shift; exec 3<&- 4<&- 5<&-; exec "$@"';

/**
 * The words before a program that sees the overlays in place of their roots. It is the first process of its own
 * process namespace: when it has ended, so has everything that it started, and nothing writes there any more.
 * Null where the programs for it are missing.
 */
export function overlayStage(overlays: readonly Overlay[]): string[] | null {
  const [unshare, mount] = [findProgram("unshare"), findProgram("mount")];
  if (unshare === undefined || mount === undefined) return null;
  return [
    unshare,
    ..."--user --map-root-user --mount --pid --fork --kill-child --".split(" "),
    "/bin/sh",
    "-c",
    stage,
    "sh",
    mount,
    ...overlays.flatMap(({ root, upper, work }) => [root, upper, work]),
    "--",
  ];
}

/** Folders for one command. `folder`: new and private. */
export function makeOverlays(folder: string, roots: readonly string[]): Overlay[] {
  return roots.map((root, at) => {
    const [upper, work] = [join(folder, `${at}`, "upper"), join(folder, `${at}`, "work")];
    for (const path of [upper, work]) mkdirSync(path, { recursive: true, mode: 0o700 });
    // It is seen as the folder itself; nobody else gets as far as here.
    chmodSync(upper, statSync(root).mode & 0o7777);
    return { root, upper, work };
  });
}

/** The kernel's part of them, in which it keeps folders that nobody may open. */
export async function removeWork(folder: string): Promise<void> {
  for (const name of attempt(() => readdirSync(folder), [])) {
    const work = join(folder, name, "work");
    for (const inner of ["work", "work/incompat", "work/incompat/volatile"])
      attempt(() => chmodSync(join(work, inner), 0o700), undefined);
    await rm(work, { recursive: true, force: true }).catch(() => undefined);
  }
}

export async function removeOverlays(folder: string): Promise<void> {
  await removeWork(folder);
  await removeWhole(folder);
}

/** With what a command closed to its owner. Throws the system's error. */
export async function removeWhole(folder: string): Promise<void> {
  const remove = (): Promise<void> => rm(folder, { recursive: true, force: true });
  await remove().catch(async () => {
    await succeeds([findProgram("chmod") ?? "chmod", "-R", "u+rwX", folder]);
    await remove();
  });
}

/**
 * Whether overlays of these roots work in `folder`: tried with scratch files, then mounted over the roots
 * themselves. Not where something else is mounted in a root, which an overlay would not show, and not in folders of
 * another user or group, whose ids it cannot write down.
 */
export async function canOverlay(folder: string, roots: readonly string[]): Promise<boolean> {
  if (roots.some(holdsMount) || !roots.every(isOurs)) return false;
  try {
    const lower = join(folder, "lower");
    mkdirSync(join(lower, "d"), { recursive: true, mode: 0o700 });
    for (const name of ["d/f", "gone"]) writeFileSync(join(lower, name), "");
    const tried = makeOverlays(join(folder, "tried"), [lower]);
    const before = overlayStage([...tried, ...makeOverlays(join(folder, "real"), roots)]);
    const work = 'cd "$1" && rm -r d gone && mkdir d && : > d/new';
    if (before === null || !(await succeeds([...before, "/bin/sh", "-c", work, "sh", lower])))
      return false;
    const upper = tried[0]?.upper ?? "";
    return isRemoved(join(upper, "gone")) && isOpaque(join(upper, "d"));
  } catch {
    return false;
  } finally {
    await removeOverlays(folder);
  }
}

function isOurs(root: string): boolean {
  const { uid, gid } = statSync(root);
  return uid === process.getuid?.() && gid === process.getgid?.();
}

/** Something that is mounted in a folder, as the system lists it. */
function holdsMount(root: string): boolean {
  const table = attempt(() => readFileSync("/proc/self/mountinfo", "utf8"), "");
  const places = table.split("\n").map((line) => line.split(" ")[4] ?? "");
  const unescape = (text: string): string =>
    text.replace(/\\([0-7]{3})/g, (_, code: string) => String.fromCharCode(parseInt(code, 8)));
  return places.map(unescape).some((place) => place !== root && place !== "" && holds(root, place));
}

/** A device of the number 0 says that something below is gone. Commands cannot make one. */
export function isRemoved(path: string): boolean {
  const stat = lstatSync(path);
  return stat.isCharacterDevice() && stat.rdev === 0;
}

async function succeeds(command: readonly string[]): Promise<boolean> {
  const child = Bun.spawn([...command], {
    env: { PATH: programFolders.join(":"), LC_ALL: "C" },
    stdio: ["ignore", "ignore", "ignore"],
  });
  return (await child.exited) === 0;
}
