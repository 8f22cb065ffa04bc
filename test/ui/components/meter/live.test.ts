import { expect, test } from "bun:test";
import { defaultPolicy } from "../../../../src/protocol/policy.ts";
import { Builder, say } from "../../../context/build.ts";
import { stage, type Stage } from "../../stage.ts";

function open(): Stage {
  const session = new Builder();
  session.user("Count.");
  session.answer([say("One.")]);
  return stage(session);
}

/** Thousands of tokens on the meter, which counts once a second. */
function usedOn(on: Stage): number {
  on.wait(1_000);
  const [, count, unit] = /([\d.]+)(k?) of/.exec(on.rows(120, 24).at(-1) ?? "") ?? [];
  return Number(count) / (unit === "k" ? 1 : 1_000);
}

const output = (bytes: number) => ({ type: "progress", toolUse: "t1", tail: "", bytes }) as const;

test("a streamed answer moves the meter, and so does a running tool, up to the size of its preview", async () => {
  const on = open();
  await on.tell({ type: "phase", phase: "waiting" });
  const before = usedOn(on);
  await on.tell({ type: "delta", index: 0, kind: "text", text: "word ".repeat(8_000) });
  const written = usedOn(on);
  expect(written - before).toBeGreaterThan(8);
  await on.tell(output(defaultPolicy.persistBytes));
  const printed = usedOn(on);
  expect(printed - written).toBeGreaterThan(8);
  await on.tell(output(1e9));
  expect(usedOn(on)).toBe(printed);
});
