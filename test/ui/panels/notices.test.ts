import { expect, test } from "bun:test";
import { defaultPolicy } from "../../../src/protocol/policy.ts";
import { Builder, call, say } from "../../context/build.ts";
import { stage } from "../stage.ts";

/** Six reads, three of which can be cleared. */
function session(): Builder {
  const built = new Builder();
  built.user("Read them all.");
  for (let n = 1; n <= 6; n++) built.step(`c${n}`, `text ${n} `.repeat(800));
  built.answer([say("Read.")]);
  return built;
}

const minutes = 60_000;

const cold = (settings = {}) => {
  const built = session();
  const policy = { ...defaultPolicy, keepCalls: 9 };
  const one = stage(built, {
    nowMs: built.nowMs + 10 * minutes,
    settings: { ...policy, ...settings },
  });
  return { ...one, text: () => one.controller.coldCache.text };
};

test("the notice names the key that compacts, and Escape hides it", async () => {
  const { text, press, sent } = cold();
  expect(text()).toMatch(/Ctrl-S clears or summarizes, Esc hides this/);
  await press("<escape>");
  expect(text()).toBeNull();
  expect(sent).toEqual([]);
});

test("says what the next message clears by itself; Alt-P keeps the largest of it", async () => {
  const { text, press, sent } = cold({ keepCalls: defaultPolicy.keepCalls });
  expect(text()).toMatch(
    /^The cache expired after 10m\. The next message will clear 3 old results \(largest: \w+ .*; Alt-P keeps the first\) and cost \$/,
  );
  await press("<alt+p>");
  expect(sent).toEqual([{ type: "pin", entry: expect.any(String), on: true }]);
});

test("offers nothing with compaction switched off, and while the agent works", async () => {
  expect(cold({ compaction: "off" }).text()).toBeNull();
  const { tell, text } = cold();
  await tell({ type: "phase", phase: "waiting" });
  expect(text()).toBeNull();
});

test("a budget that is set takes away the notice that there is none", async () => {
  const { press, tell, message, sent } = stage(session());
  await press("/budget\r");
  expect(message()).toStartWith("There is no budget.");
  await press("/budget -5\r");
  expect(message()).toStartWith("Type /budget 5, /budget day 20, ");
  await press("/budget 5\r");
  expect(sent).toEqual([{ type: "budget", scope: "session", usd: 5 }]);
  expect(message()).toBe("");
  await tell({ type: "budget", budget: [{ scope: "day", capUsd: 5, spentUsd: 2.4 }] });
  await press("/budget\r");
  expect(message()).toBe("today: $2.40 of $5.00");
});

test("a command sent to the background leaves no notice that outlives it", async () => {
  const built = session();
  built.answer([call("a", "Bash"), call("b", "Bash")]);
  const { tell, press, message, sent } = stage(built);
  await tell(
    { type: "phase", phase: "tools" },
    { type: "progress", toolUse: "b", tail: "", bytes: 0 },
  );
  await press("<ctrl+b>");
  expect(sent).toEqual(["a", "b"].map((toolUse) => ({ type: "background", toolUse })));
  expect(message()).toBe("");
});
