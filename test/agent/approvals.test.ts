import { expect, test } from "bun:test";
import { PendingApprovals } from "../../src/agent/approvals.ts";
import type { Ask } from "../../src/protocol/event.ts";

const ask = (id: string): Ask => ({
  id,
  toolUse: id,
  tool: "Bash",
  title: "Run",
  detail: "",
  detailKind: "text",
  rule: "Bash",
});

test("each question gets its own answer", async () => {
  const pending = new PendingApprovals();
  const first = pending.ask(ask("a"));
  const second = pending.ask(ask("b"));
  pending.answer("b", { allow: true, scope: "once" });
  pending.answer("c", { allow: true, scope: "once" });
  pending.answer("a", { allow: false, reason: "not now" });
  expect(await second).toEqual({ allow: true, scope: "once" });
  expect(await first).toEqual({ allow: false, reason: "not now" });
});

test("clearing denies what is pending", async () => {
  const pending = new PendingApprovals();
  const asked = pending.ask(ask("a"));
  pending.clear();
  expect(await asked).toEqual({ allow: false });
});

test("a call is sent to the background by its id", async () => {
  const pending = new PendingApprovals();
  const sent: string[] = [];
  const waiting = ["a", "b"].map((id) => pending.background(id).then(() => void sent.push(id)));
  pending.sendToBackground("b");
  await waiting[1];
  expect(sent).toEqual(["b"]);
  pending.sendToBackground("a");
  await waiting[0];
  expect(sent).toEqual(["b", "a"]);
});

test("a call sent to the background just before it runs is run there", async () => {
  const approvals = new PendingApprovals();
  approvals.sendToBackground("c1");
  await approvals.background("c1");
  let isSent = false;
  void approvals.background("c2").then(() => (isSent = true));
  approvals.sendToBackground("c3");
  approvals.clear();
  void approvals.background("c3").then(() => (isSent = true));
  await Bun.sleep(0);
  expect(isSent).toBe(false);
});

test("a call that was stopped is no longer sent to the background", async () => {
  const approvals = new PendingApprovals();
  let isSent = false;
  void approvals.background("c1").then(() => (isSent = true));
  approvals.clear();
  approvals.sendToBackground("c1");
  await Bun.sleep(0);
  expect(isSent).toBe(false);
});
