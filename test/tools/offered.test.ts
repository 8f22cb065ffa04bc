/** Which tools are offered, and what the mode "dont-ask" does with those that would ask. */

import { afterAll, expect, test } from "bun:test";
import { join } from "node:path";
import { autoNeedsProject, autoNeedsSandbox } from "../../src/protocol/permission.ts";
import { leave, room, type Room } from "./room.ts";

afterAll(leave);

test("only the chosen tools are offered, and none that a rule denies altogether", async () => {
  const at = await room({
    only: ["Read", "Bash", "Write", "WebFetch"],
    rules: { deny: ["Bash", "WebFetch(*)", "Read(.env)"] },
  });
  expect(at.box.definitions.map(({ name }) => name)).toEqual(["Read", "Write"]);
  const review = await at.review("Bash", { command: "ls" });
  expect(review).toMatchObject({ verdict: "refuse" });
});

test("dont-ask refuses what would prompt, and allows what a rule allows", async () => {
  const at = await room({ mode: "dont-ask", rules: { allow: ["Write(a.txt)"] } });
  const write = async (file_path: string) => await at.verdict("Write", { file_path, content: "" });
  expect([await write("a.txt"), await write("b.txt")]).toEqual(["allow", "refuse"]);
  at.box.allowForTurn(["Write(b.txt)"]);
  expect(await write("b.txt")).toBe("allow");
});

test("the first question about a command that could run confined offers mode auto, once", async () => {
  const at = await room();
  if (!(await at.box.hasSandbox())) return;
  const offer = async ({ review }: Room, command: string): Promise<unknown> => {
    const answer = await review("Bash", { command });
    return answer.verdict === "ask" && answer.ask.offersAuto;
  };
  const write = await at.review("Write", { file_path: "a", content: "" });
  expect(write.verdict === "ask" && write.ask.offersAuto).toBeUndefined();
  expect(await offer(at, "git push")).toBeUndefined();
  at.box.mode = "auto";
  expect(await offer(at, "git push")).toBeUndefined();
  at.box.mode = "accept-edits";
  expect(await offer(at, "make a")).toBe(true);
  expect(await offer(at, "make b")).toBeUndefined();
  const inHome = await room({
    workspace: join(at.root, "../home"),
    home: join(at.root, "../home"),
  });
  expect(await offer(inHome, "make a")).toBeUndefined();
  expect(await inHome.box.whyNoAuto()).toBe(autoNeedsProject);
  expect(await at.box.whyNoAuto()).toBeNull();
  expect(await (await room({ sandbox: "off" })).box.whyNoAuto()).toBe(autoNeedsSandbox);
});
