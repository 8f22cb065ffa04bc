/** How a checkpoint names what is too large to be kept: it can be told apart from others, and moved back. */

type Identity = { ino: number; size: number; mtimeMs: number; birthtimeMs: number };

/** A larger file is not kept, in bytes. */
export const maxKeptBytes = 64 * 1024 ** 2;

/** Files of git that are not kept, whatever their size. It sets their time when it uses them again. */
export const isPack = (path: string): boolean => /\/pack-[0-9a-f]{40,64}\.[a-z]+$/.test(path);

export const sameName = (path: string, { ino, size, mtimeMs }: Identity): string =>
  `same:${ino}-${size}${isPack(path) ? "" : `-${mtimeMs}`}`;

/** A folder with all that is in it. */
export const folderName = ({ ino, birthtimeMs }: Identity): string => `tree:${ino}-${birthtimeMs}`;

export const isOnlyNamed = (kept: string): boolean => /^(?:same|tree):/.test(kept);

/** Files of git that it writes once and never changes. */
export const gitObject = /(?:^|\/)\.git\/(?:.*\/)?objects\//;

const repository = /^(.*?\/\.git)\//;

/** A name for the files that are whole only together: those of a repository, and a database with its journal. */
export const wholeOf = (path: string): string =>
  (gitObject.test(path) ? undefined : repository.exec(path)?.[1]) ??
  path.replace(/-(?:wal|shm|journal)$/, "");
