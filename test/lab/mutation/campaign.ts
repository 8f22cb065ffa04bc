/** Many mutants of one room, several at a time. */

import { findMutants, shuffled, type Mutant } from "./mutants.ts";
import { listSources, listTests } from "./room.ts";
import { Sandbox } from "./sandbox.ts";
import { judge, measureTimes, type Verdict } from "./trial.ts";

export type Campaign = {
  root: string;
  room: string;
  seed: number;
  /** How many mutants that compile are tried; fewer if the room has no more. */
  count: number;
  /** Only mutants of files whose path contains this. */
  file?: string | undefined;
  line?: number | undefined;
  /** A test hangs when it takes longer than this many milliseconds and four times its usual time. */
  hangMs?: number;
  onVerdict?: (mutant: Mutant, verdict: Verdict) => void;
};

export type Result = Record<Verdict, Mutant[]>;

const atOnce = 2;

/** Throws when the room has no tests, or they fail without any mutant. */
export async function run(campaign: Campaign): Promise<Result> {
  const { root, room, seed, count, file = "", line, onVerdict } = campaign;
  const { hangMs = 30_000 } = campaign;
  const result: Result = { killed: [], survived: [], "not viable": [] };
  // The copies are made first: after that, the tree may change.
  const sandboxes = Array.from({ length: atOnce }, () => new Sandbox(root));
  let open = count;
  try {
    const [first] = sandboxes;
    if (!first) return result;
    const tests = listTests(first.root, room);
    if (tests.length === 0) throw new Error(`The room ${room} has no tests.`);
    const times = await measureTimes(first, tests);
    const candidates = listSources(first.root, room)
      .filter((source) => source.includes(file))
      .flatMap((source) => findMutants(first.root, source))
      .filter((mutant) => line === undefined || mutant.line === line);
    const queue = shuffled(candidates, seed);
    const work = async (sandbox: Sandbox): Promise<void> => {
      while (open > 0) {
        const mutant = queue.shift();
        if (!mutant) return;
        open--;
        const verdict = await judge(sandbox, times, mutant, hangMs);
        if (verdict === "not viable") open++;
        result[verdict].push(mutant);
        onVerdict?.(mutant, verdict);
      }
    };
    await Promise.all(sandboxes.map(work));
  } finally {
    for (const sandbox of sandboxes) sandbox.remove();
  }
  return result;
}
