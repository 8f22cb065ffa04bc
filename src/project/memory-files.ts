/** The files of `/memory`: notes and instructions. */

import { lstat } from "node:fs/promises";
import type { Paths } from "../config/paths.ts";

/** Their sizes in bytes; null: not there yet. `instructions`: paths of the files that apply here. */
export async function memoryFiles(
  { memory }: Pick<Paths, "memory">,
  instructions: readonly string[],
) {
  const notes = [
    { name: "Notes on this folder", path: memory.here },
    { name: "Notes for all folders", path: memory.everywhere },
  ];
  const others = instructions
    .filter((path) => !notes.some((note) => note.path === path))
    .map((path) => ({ name: "Instructions", path }));
  return Promise.all(
    [...notes, ...others].map(async (file) => {
      const stat = await lstat(file.path).catch(() => null);
      return { ...file, bytes: stat?.size ?? null };
    }),
  );
}
