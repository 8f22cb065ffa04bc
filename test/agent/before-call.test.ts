/**
 * What happens before each call of a long session, measured by how often entries are read, not by
 * time.
 */

import { expect, test } from "bun:test";
import { omitUnsendableImages } from "../../src/agent/repair.ts";
import { forecast } from "../../src/context/forecast.ts";
import { nextPlan } from "../../src/context/ladder.ts";
import { buildRequest } from "../../src/context/request.ts";
import { Session } from "../../src/agent/session.ts";
import type { Entry } from "../../src/protocol/entry.ts";
import { defaultPolicy } from "../../src/protocol/policy.ts";
import { Builder, rules, say } from "../context/build.ts";
import { png } from "../fake-api/png.ts";
import { MemoryLog } from "./memory-log.ts";

/** How often `work` reads entries in a session that continues after a summary of `turns` turns. */
async function looksAt(
  turns: number,
  work: (session: Session, nowMs: number) => unknown,
  hasImage = false,
): Promise<number> {
  const built = new Builder();
  const first = built.user("Begin.").id;
  for (let turn = 0; turn < turns; turn++) built.step(`c${turn}`, "Some lines.");
  built.cover(first, built.path.at(-1)?.id ?? "");
  for (let turn = 0; turn < 5; turn++) built.step(`d${turn}`, "More lines. ".repeat(500));
  built.add({ type: "user", content: [say("Go on."), ...(hasImage ? [png(10)] : [])] });
  let looks = 0;
  const get = (entry: Entry, key: string | symbol): unknown => {
    looks++;
    return Reflect.get(entry, key);
  };
  const log = new MemoryLog();
  log.path = built.path.map((entry) => new Proxy(entry, { get }));
  log.entries.push(...log.path);
  const session = new Session(log, defaultPolicy, rules, () => built.nowMs);
  void session.view.messages;
  // Each new entry is read once.
  await work(session, built.nowMs);
  await session.append({ type: "user", content: [say("And on.")] });
  looks = 0;
  await work(session, built.nowMs);
  return looks;
}

test.each([false, true])(
  "for images, summarized turns are not searched (one in view: %p)",
  async (hasImage) => {
    const search = (session: Session) => Array.fromAsync(omitUnsendableImages(session));
    expect(await looksAt(200, search, hasImage)).toBe(await looksAt(10, search, hasImage));
  },
);

test("for plans and forecasts, summarized turns are not read", async () => {
  const plan = ({ view, reading, policy }: Session, nowMs: number) => [
    nextPlan("turnStart", { view, reading, policy, rules }),
    forecast(view, rules, policy, nowMs),
    buildRequest(view, rules, policy),
  ];
  expect(await looksAt(200, plan)).toBe(await looksAt(10, plan));
});
