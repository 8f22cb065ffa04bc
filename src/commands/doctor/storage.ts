import { accessSync, constants, existsSync } from "node:fs";
import { readdir, stat, statfs } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { Paths } from "../../config/paths.ts";
import { ok, problem, warning, type Check } from "./check.ts";

export type Storage = Pick<Paths, "root" | "sessions" | "toolResults" | "checkpoints">;

const MB = 1_000_000;
const minFreeBytes = 200 * MB;
const largeBytes = 2_000 * MB;

/** What is kept on disk, how large it is, and whether there is room for more. */
export async function checkStorage(storage: Storage): Promise<Check[]> {
  const { sessions, toolResults, checkpoints } = storage;
  const sizes = await Promise.all([sessions, toolResults, checkpoints].map(sizeOf));
  const total = sizes.reduce((sum, { bytes }) => sum + bytes, 0);
  const [logs, results, contents] = sizes.map(({ files, bytes }) => `${files} (${show(bytes)})`);
  const text = `session files ${logs}, results ${results}, checkpoints ${contents}`;
  return [
    await checkHome(storage.root),
    total > largeBytes
      ? warning("Kept", text, "mini-claude sessions prune --days 30 --all")
      : ok("Kept", text),
  ];
}

async function checkHome(root: string): Promise<Check> {
  const name = "Data folder";
  let folder = root;
  while (!existsSync(folder)) folder = dirname(folder);
  try {
    accessSync(folder, constants.W_OK);
  } catch {
    return problem(
      name,
      `${folder} cannot be written`,
      "change its permissions, or set MINI_CLAUDE_HOME to another folder",
    );
  }
  const { bavail, bsize } = await statfs(folder);
  const free = bavail * bsize;
  const text = `${root}, ${show(free)} free`;
  return free < minFreeBytes
    ? problem(name, text, "free some disk space; on a full disk nothing can be logged")
    : ok(name, text);
}

async function sizeOf(folder: string): Promise<{ files: number; bytes: number }> {
  const names = await readdir(folder, { recursive: true }).catch(() => []);
  const infos = await Promise.all(names.map((name) => stat(join(folder, name)).catch(() => null)));
  const files = infos.filter((info) => info?.isFile());
  return { files: files.length, bytes: files.reduce((sum, info) => sum + (info?.size ?? 0), 0) };
}

function show(bytes: number): string {
  if (bytes < 1_000) return `${bytes} bytes`;
  const units = ["kB", "MB", "GB", "TB"];
  const power = Math.min(units.length, Math.floor(Math.log10(bytes) / 3));
  const value = bytes / 1_000 ** power;
  return `${value.toFixed(value < 10 ? 1 : 0)} ${units[power - 1]}`;
}
