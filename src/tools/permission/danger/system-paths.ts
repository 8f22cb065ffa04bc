/** Folders and files that the machine or the user's home cannot do without. */

import { posix } from "node:path";

export type Home = { home: string; workspace: string };

const systemFolders =
  /^\/(?:bin|boot|dev|etc|home|lib|lib32|lib64|libx32|opt|proc|root|run|sbin|srv|sys|usr|var|nix|mnt|media|Users|System|Library|Applications|Volumes|private)?$/;

const innerFolders =
  /^\/(?:boot|bin|sbin|lib|lib32|lib64|dev|proc|sys|etc|System|Library|Applications)\/|^\/usr\/(?:bin|sbin|lib|lib32|lib64|libexec|share|include|local)$|^\/var\/(?:lib|log|spool|db)$|^\/(?:home|Users)\/[^/]+$/;

const vitalFiles =
  /^\/(?:etc\/(?:passwd|shadow|group|gshadow|sudoers|fstab|hosts|ld\.so\.(?:conf|cache|preload))|boot\/.*|bin\/(?:ba|da)?sh|lib(?:64)?\/ld-.*|usr\/bin\/(?:ba|da)?sh|proc\/sysrq-trigger|sys\/.*|proc\/sys\/.*)$/;

const disks =
  /^\/dev\/(?:sd|hd|vd|xvd|nvme|mmcblk|disk|rdisk|mapper\/|dm-|loop|md|mem|kmem|port|ram|zram|sr\d|fb\d)/;

export const isDisk = (path: string): boolean => disks.test(posix.normalize(path));

/** Absolute and without `..`; null when it begins with something unknown. */
function absolute(path: string, cwd: string, { home, workspace }: Home): string | null {
  const base = cwd === "." || cwd.startsWith("./") ? posix.join(workspace, cwd) : expand(cwd, home);
  const full = expand(path, home);
  if (full.startsWith("$")) return null;
  return posix.normalize(full.startsWith("/") ? full : posix.join(base, full));
}

/** The home of another user counts as one, too. */
const expand = (path: string, home: string): string =>
  path
    .replace(/^(?:~|\$\{?HOME\}?)(?=\/|$)/, home)
    .replace(/^~\w+/, (name) => `/home/${name.slice(1)}`);

/** The end of a path that means everything in the folder, or the folder itself. */
const allOfIt = /\/(?:[*?.[\]!^a-zA-Z0-9-]*[*?][*?.[\]!^]*|\.\[[^\]]*\]\*?|\.+)?$/;

/** Removing this with everything in it would destroy the system or the home. */
export function isVitalFolder(path: string, cwd: string, home: Home): boolean {
  const full = absolute(path, cwd, home);
  if (full === null) return false;
  const folder = posix.normalize(
    /[*?]|\/\.?$/.test(full) ? full.replace(allOfIt, "") || "/" : full,
  );
  const plain = folder.replace(/(?<=.)\/$/, "");
  // A pattern right below the root may stand for any of its folders.
  if (/^\/[^/]*[*?[][^/]*$/.test(full)) return true;
  if (systemFolders.test(plain) || innerFolders.test(plain)) return !isInside(plain, home);
  return [home.home, home.workspace].some((kept) => isAbove(plain, kept)) || plain === home.home;
}

/** A workspace may be in one of these folders; what is in it does not belong to the system. */
const isInside = (path: string, { workspace }: Home): boolean =>
  path === workspace || path.startsWith(`${workspace}/`);

const isAbove = (folder: string, path: string): boolean =>
  path.startsWith(folder === "/" ? "/" : `${folder}/`);

export function isVitalFile(path: string, cwd: string, home: Home): boolean {
  const full = absolute(path, cwd, home);
  return full !== null && (vitalFiles.test(full) || isDisk(full));
}
