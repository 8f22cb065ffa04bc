import { expect, test } from "bun:test";
import { LiveView } from "../../../src/context/view/view.ts";
import type { Entry } from "../../../src/protocol/entry.ts";
import { Builder, rules, say } from "../build.ts";

/** A log as the store has it: entries of all branches, and the path to the head. */
function makeLog(session: Builder) {
  const entries: Entry[] = [...session.path];
  return {
    entries,
    path: [...session.path],
    append(entry: Entry) {
      entries.push(entry);
      if (entry.parent === (this.path.at(-1)?.id ?? null)) this.path.push(entry);
      else this.path = [...session.path];
    },
  };
}

const listIds = (live: LiveView): string[] => live.view.rows.map(({ entry }) => entry.id);

test("after a rewind it is the view of the new path, and what the old one cost stays billed", () => {
  const session = new Builder();
  const log = makeLog(session);
  const live = new LiveView(log);
  log.append(session.user("One."));
  log.append(session.answer([say("Done.")]));
  const before = live.view.bills.usd(rules.prices);
  expect(before).toBeGreaterThan(0);
  session.rewind(1);
  log.append(session.user("Another way."));
  expect(listIds(live)).toEqual(session.path.map(({ id }) => id));
  expect(live.view.bills.usd(rules.prices)).toBe(before);
  expect(new LiveView(log).view.bills.usd(rules.prices)).toBe(before);
});
