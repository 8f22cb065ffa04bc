/**
 * A mutant that no test can kill, because the program behaves the same with it; identified by its
 * text.
 */

import type { Mutant } from "./mutants.ts";

export type Equivalent = Pick<Mutant, "file" | "before" | "after"> & { why: string };

/** Several in one file, for the same reason: lines of it, each with what may stand there instead. */
export const all = (file: string, why: string, edits: Record<string, string[]>): Equivalent[] =>
  Object.entries(edits).flatMap(([before, afters]) =>
    afters.map((after) => ({ file, before, after, why })),
  );

export const isEquivalent = (mutant: Mutant, known: readonly Equivalent[]): boolean =>
  known.some(
    ({ file, before, after }) =>
      file === mutant.file && before === mutant.before && after === mutant.after,
  );
