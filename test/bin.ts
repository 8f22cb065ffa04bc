import { mkdir, symlink } from "node:fs/promises";
import { join } from "node:path";

/** A folder for the PATH in which `bun` is the Bun that runs the tests, whatever its file is called. */
export async function folderWithBun(root: string): Promise<string> {
  const folder = join(root, "bin");
  await mkdir(folder, { recursive: true });
  await symlink(process.execPath, join(folder, "bun")).catch(() => undefined);
  return folder;
}
