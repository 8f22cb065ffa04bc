import { dirname } from "node:path";

/** The folders from `outer` down to `inner`, which lies in it; both included. */
export function foldersBetween(outer: string, inner: string): string[] {
  const folders = [inner];
  for (let at = inner; at !== outer && at !== dirname(at); at = dirname(at))
    folders.unshift(dirname(at));
  return folders;
}
