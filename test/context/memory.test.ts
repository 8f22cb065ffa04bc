/** What the view keeps in memory: objects per entry, however often the session was summarised. */

import { heapStats } from "bun:jsc";
import { expect, test } from "bun:test";
import { Projection } from "../../src/context/view.ts";
import type { Entry } from "../../src/protocol/entry.ts";
import { Builder, call } from "./build.ts";

/** A session that is summarised after every turn, from its first message on. */
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

function objectsPerEntry(path: readonly Entry[]): number {
  const count = (): number => {
    Bun.gc(true);
    return heapStats().objectCount;
  };
  const before = count();
  const projection = new Projection(path);
  const objects = count() - before;
  return objects / projection.view.rows.length;
}

test("a summary of a long session costs no more memory than one of a short session", () => {
  const short = summarizedSession(50);
  const long = summarizedSession(400);
  objectsPerEntry(short);
  expect(objectsPerEntry(long)).toBeLessThan(1.2 * objectsPerEntry(short));
});
