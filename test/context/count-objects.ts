/** Prints the objects that the view of a session keeps per entry: `count-objects.ts TURNS summarized|edited`. */

import { heapStats } from "bun:jsc";
import { Projection } from "../../src/context/view.ts";
import type { Entry } from "../../src/protocol/entry.ts";
import { Builder, call, say } from "./build.ts";

/** Summarized after every turn, from its first message on. */
function summarizedSession(turns: number): Entry[] {
  const session = new Builder();
  const first = session.user("Begin.").id;
  for (let turn = 0; turn < turns; turn++) {
    session.answer([call(`c${turn}`)]);
    const { id } = session.result(`c${turn}`, "Some lines.");
    session.cover(first, id);
    session.user("Go on.");
  }
  return session.path;
}

/** Replaces every result, twenty at a time. */
function editedSession(turns: number): Entry[] {
  const session = new Builder();
  for (let turn = 0; turn < turns; turn++) {
    session.user("Go on.");
    const results = Array.from(
      { length: 20 },
      (_, n) => session.step(`c${turn}.${n}`, "Lines.").id,
    );
    session.answer([say("Done.")]);
    session.cut(results.map((entry) => ({ kind: "replace", entry, text: "Cut." })));
  }
  return session.path;
}

function countObjects(): number {
  Bun.gc(true);
  return heapStats().objectCount;
}

const [turns, kind] = process.argv.slice(2);
const session = kind === "edited" ? editedSession : summarizedSession;
const path = session(Number(turns));
// The first projections also compile code, which happens only once.
const kept = [new Projection(path), new Projection(path)];
const before = countObjects();
const counted = 4;
for (let n = 0; n < counted; n++) kept.push(new Projection(path));
console.log((countObjects() - before) / counted / path.length);
// Keeps both alive until here.
void kept.length;
