/**
 * Mutants that no test can kill, because the program does the same with them. They are found by
 * their text, not by their line, and a test fails when an entry matches nothing any more.
 */

import type { Mutant } from "./mutants.ts";

export type Equivalent = Pick<Mutant, "file" | "before" | "after"> & { why: string };

export const equivalents: readonly Equivalent[] = [];

export const isEquivalent = (mutant: Mutant, known: readonly Equivalent[]): boolean =>
  known.some(
    ({ file, before, after }) =>
      file === mutant.file && before === mutant.before && after === mutant.after,
  );
