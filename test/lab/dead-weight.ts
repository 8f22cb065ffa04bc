/**
 * How much of the context nothing needs, on recorded sessions: `bun test/lab/dead-weight.ts FOLDER...`. At each
 * turn's start the product's rule flags results; a flag is right if no later recorded call needs the result: no
 * edit of its text, no next use of its file, no word that only flagged results hold.
 */

import { findLastUses } from "../../src/context/meter/dead-weight.ts";
import { Projection } from "../../src/context/view/view.ts";
import type { EntryId, Fact } from "../../src/protocol/entry.ts";
import { findDependencies, toAnswerId, toEntryId, type Dependency } from "./dependencies.ts";
import { findRecordings, readRecording } from "./load.ts";
import { RecordingError, type Recording } from "./recording.ts";

/** Characters a token of a result, on average over the recordings. */
const charsPerToken = 3.2;
const ages = [5, 10, 20, 40];

type Tally = { flagged: number; needed: number; tokens: number };

function isNeeded(
  id: EntryId,
  flagged: ReadonlySet<EntryId>,
  later: readonly Dependency[],
): boolean {
  return later.some(
    ({ edits, patches, files, words }) =>
      [...edits, ...patches].some(
        ({ sources }) =>
          sources.length > 0 &&
          sources.every((source) => flagged.has(source)) &&
          sources.includes(id),
      ) ||
      files.some(({ source }) => source === id) ||
      words.some(
        ({ sources }) => sources.includes(id) && sources.every((source) => flagged.has(source)),
      ),
  );
}

function measure(recording: Recording, leastCalls: number): Tally {
  const needs = findDependencies(recording);
  const projection = new Projection();
  const tally: Tally = { flagged: 0, needed: 0, tokens: 0 };
  const flagged = new Set<EntryId>();
  let head: EntryId | null = null;
  const push = (id: EntryId, fact: Fact): void => {
    projection.push({ ...fact, id, parent: head, at: "2026-01-01T00:00:00.000Z" });
    head = id;
  };
  push("e0", {
    type: "session",
    version: 1,
    session: recording.name,
    cwd: recording.cwd,
    model: "m",
    system: "",
    tools: [],
  });
  for (const [index, call] of recording.calls.entries()) {
    for (const [at, fact] of call.before.entries()) push(toEntryId(index, at), fact);
    if (call.turnStart) {
      const found = findLastUses(projection.view).filter(
        ({ callsSince, usedBy, row }) =>
          usedBy === null && callsSince >= leastCalls && !flagged.has(row.entry.id),
      );
      for (const { row } of found) flagged.add(row.entry.id);
      for (const { row } of found) {
        tally.flagged++;
        tally.tokens += row.chars / charsPerToken;
        if (isNeeded(row.entry.id, flagged, needs.slice(index))) tally.needed++;
      }
    }
    const usage = { input: 0, cacheRead: 0, cacheWrite: 0, output: 0 };
    const sentAt = "2026-01-01T00:00:00.000Z";
    push(toAnswerId(index), {
      type: "assistant",
      content: call.answer,
      model: "m",
      usage,
      stop: "tool_use",
      sentAt,
    });
  }
  return tally;
}

const paths = (await Promise.all(process.argv.slice(2).map(findRecordings))).flat();
const recordings: Recording[] = [];
for (const path of paths) {
  try {
    recordings.push(await readRecording(path));
  } catch (error) {
    if (!(error instanceof RecordingError)) throw error;
  }
}
console.log("unused for  sessions  flagged  never needed later  tokens a session: median, most");
for (const age of ages) {
  const tallies = recordings.map((recording) => measure(recording, age));
  const some = tallies.filter(({ flagged }) => flagged > 0);
  const flagged = some.reduce((sum, tally) => sum + tally.flagged, 0);
  const needed = some.reduce((sum, tally) => sum + tally.needed, 0);
  const tokens = some.map((tally) => Math.round(tally.tokens)).toSorted((a, b) => a - b);
  const right = `${((1 - needed / flagged) * 100).toFixed(1)} %`;
  console.log(
    `${`${age} calls`.padEnd(11)} ${String(some.length).padEnd(9)} ${String(flagged).padEnd(8)} ${right.padEnd(19)} ${tokens[Math.floor(tokens.length / 2)]}, ${tokens.at(-1)}`,
  );
}
