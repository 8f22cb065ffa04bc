import { constants } from "node:fs";
import { mkdir, open, realpath, type FileHandle } from "node:fs/promises";
import { dirname, join } from "node:path";
import { codeOf } from "../workspace.ts";

/** A place in the tree, without permission to read it. Linux only; not in `constants`. */
const O_PATH = 0x200000;
const flags = O_PATH | constants.O_DIRECTORY | constants.O_NOFOLLOW;

/**
 * Calls `use` with a function that gives paths in `folder`, an absolute path without symlinks. On
 * Linux they lead there even if a part of the path is replaced by a symlink meanwhile. Throws the
 * system's error if a part is missing (unless `create`), not a folder, or a symlink.
 */
export async function inFolder<T>(
  folder: string,
  { create }: { create: boolean },
  use: (pathOf: (name: string) => string) => Promise<T>,
): Promise<T> {
  if (process.platform !== "linux") return inCheckedFolder(folder, create, use);
  let handle = await open("/", flags);
  try {
    for (const part of folder.split("/").filter((one) => one !== "")) {
      const next = await openInner(handle, part, create);
      await handle.close();
      handle = next;
    }
    return await use((name) => beneath(handle, name));
  } finally {
    await handle.close();
  }
}

const beneath = ({ fd }: FileHandle, name: string): string => `/proc/self/fd/${fd}/${name}`;

async function openInner(handle: FileHandle, part: string, create: boolean): Promise<FileHandle> {
  const path = beneath(handle, part);
  try {
    return await open(path, flags);
  } catch (error) {
    if (!create || codeOf(error) !== "ENOENT") throw error;
    await mkdir(path).catch((failure: unknown) => {
      if (codeOf(failure) !== "EEXIST") throw failure;
    });
    await syncFolder(beneath(handle, "."));
    return open(path, flags);
  }
}

/** Makes the names in a folder durable, on file systems that can. */
export async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, "r").catch(() => null);
  await folder?.sync().catch(() => undefined);
  await folder?.close();
}

/** Without /proc, the check comes before the use: a race can still get past it. */
async function inCheckedFolder<T>(
  folder: string,
  create: boolean,
  use: (pathOf: (name: string) => string) => Promise<T>,
): Promise<T> {
  const made = create ? await mkdir(folder, { recursive: true }) : undefined;
  if (made !== undefined) {
    for (let at = folder; at.length >= made.length; at = dirname(at)) await syncFolder(dirname(at));
  }
  if ((await realpath(folder)) !== folder) {
    throw Object.assign(new Error("The folder became a symlink."), { code: "ELOOP" });
  }
  return use((name) => join(folder, name));
}
