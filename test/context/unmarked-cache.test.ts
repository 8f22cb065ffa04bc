/** A server that caches unasked, such as an OpenAI-compatible one: its cache is hot as long as nothing changes. */

import { expect, test } from "bun:test";
import { defaultPolicy } from "../../src/protocol/policy.ts";
import { Builder, rules, say } from "./build.ts";
import { compact, read } from "./compact.ts";
import { prose } from "./sessions.ts";

const local = { ...rules, windowTokens: 128_000, caches: false, thinking: "none" as const };

test.each([
  ["that reports what it read from its cache", undefined],
  ["that reports nothing", { input: 0, cacheRead: 0, cacheWrite: 0, output: 0 }],
])(
  "fourteen turns that each read 20 KB are cut at most once a band on a server %s",
  (_, silent) => {
    const one = new Builder();
    let cuts = 0;
    for (let turn = 0; turn < 14; turn++) {
      one.user(`Read file ${turn}.`);
      cuts += compact(one, "turnStart", local, defaultPolicy).length;
      one.step(`c${turn}`, prose(20_000));
      one.answer([say("Read.")], silent ? { usage: { ...silent, input: countTokens(one) } } : {});
    }
    expect(cuts).toBeLessThanOrEqual(3);
    expect(read(one, local, defaultPolicy).cache.state).toBe("hot");
  },
);

const countTokens = (one: Builder): number => read(one, local, defaultPolicy).usedTokens;
