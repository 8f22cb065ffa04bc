import { expect, test } from "bun:test";
import { join } from "node:path";
import { Flow, statusRequest } from "../../../src/tui/terminal/flow.ts";
import { start } from "../pty.ts";

function flow() {
  const written: string[] = [];
  let resumed = 0;
  const on = new Flow({ write: (code) => void written.push(code), resume: () => void resumed++ });
  return { on, written, resumed: () => resumed };
}

test("little output is written without a question", () => {
  const { on, written } = flow();
  on.wrote(300);
  expect(on.ready()).toBe(true);
  expect(written).toEqual([]);
});

test("frames wait for the terminal's answer, and are drawn once it has come", () => {
  const { on, written, resumed } = flow();
  on.wrote(500);
  expect(written).toEqual([statusRequest]);
  expect(on.ready()).toBe(true);
  on.wrote(400);
  expect(on.ready()).toBe(false);
  expect(resumed()).toBe(0);
  on.answered();
  expect(resumed()).toBe(1);
  expect(on.ready()).toBe(true);
  // What was written meanwhile is asked about, too.
  expect(written).toEqual([statusRequest, statusRequest]);
  on.stop();
});

test("a stopped flow holds nothing back", () => {
  const { on } = flow();
  on.wrote(9_000);
  on.stop();
  expect(on.ready()).toBe(true);
});

test("at 960 bytes a second a key is echoed soon, whatever the agent prints", async () => {
  const program = join(import.meta.dir, "..", "scripted-screen.ts");
  const pty = start([process.execPath, program, "{}"], { cols: 80, rows: 24, bytesPerSecond: 960 });
  await pty.waitFor("❯ Ask");
  await pty.type("pour\r");
  await pty.waitFor(/w2[4-9]\d\d/);
  const before = pty.shown();
  await pty.type("hello");
  await pty.waitFor("❯ hello");
  // What was on its way, and the echo itself: what was printed before has not piled up.
  expect(pty.shown() - before).toBeLessThan(1_800);
  await pty.close();
}, 60_000);
