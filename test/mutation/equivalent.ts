/**
 * A mutant that no test can kill, because the program behaves the same with it; identified by its
 * text.
 */

import type { Mutant } from "./mutants.ts";

export type Equivalent = Pick<Mutant, "file" | "before" | "after"> & { why: string };

/** Several in one file, for the same reason. */
export const all = (file: string, why: string, ...edits: [before: string, after: string][]) =>
  edits.map(([before, after]): Equivalent => ({ file, before, after, why }));

export const isEquivalent = (mutant: Mutant, known: readonly Equivalent[]): boolean =>
  known.some(
    ({ file, before, after }) =>
      file === mutant.file && before === mutant.before && after === mutant.after,
  );
