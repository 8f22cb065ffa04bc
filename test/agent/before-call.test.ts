/** What happens before every call of a long session, counted by looks at entries, not by time. */

import { expect, test } from "bun:test";
import { omitUnsendableImages } from "../../src/agent/repair.ts";
import { Session } from "../../src/agent/session.ts";
import type { Entry } from "../../src/protocol/entry.ts";
import { defaultPolicy } from "../../src/protocol/policy.ts";
import { Builder, rules, say } from "../context/build.ts";
import { png } from "../fake-api/png.ts";
import { MemoryLog } from "./memory-log.ts";

/** Entries whose content is read before the first call after a summary of `turns` turns. */
async function readBeforeCall(turns: number, hasImage: boolean): Promise<number> {
  const built = new Builder();
  const first = built.user("Begin.").id;
  for (let turn = 0; turn < turns; turn++) built.step(`c${turn}`, "Some lines.");
  built.cover(first, built.path.at(-1)?.id ?? "");
  built.add({ type: "user", content: [say("Go on."), ...(hasImage ? [png(10)] : [])] });
  let looks = 0;
  const get = (entry: Entry, key: string | symbol): unknown => {
    if (key === "content") looks++;
    return Reflect.get(entry, key);
  };
  const log = new MemoryLog();
  log.path = built.path.map((entry) => new Proxy(entry, { get }));
  const session = new Session(log, defaultPolicy, rules, () => built.nowMs);
  void session.view.messages;
  looks = 0;
  await Array.fromAsync(omitUnsendableImages(session));
  return looks;
}

test.each([false, true])(
  "summarised turns are not searched for images (one in view: %p)",
  async (hasImage) => {
    expect(await readBeforeCall(200, hasImage)).toBe(await readBeforeCall(10, hasImage));
  },
);
