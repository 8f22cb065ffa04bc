/**
 * A log that cannot be written: it is reported once, nothing is answered, and no typed text is
 * lost.
 */

import { expect, test } from "bun:test";
import { ending, of, prompt, run, type RunOptions } from "./harness.ts";
import { MemoryLog } from "./memory-log.ts";
import { says, ScriptedToolbox, uses } from "./scripted.ts";

class FullLog extends MemoryLog {
  isFull = false;
  attempts = 0;

  override before = async (): Promise<void> => {
    if (!this.isFull) return;
    // A run that never stops trying fails the test instead of hanging it.
    if (++this.attempts > 20) this.isFull = false;
    throw new Error("The disk is full.");
  };
}

/** The next idle event of a failed turn frees the disk, and another prompt comes. */
const freedBy =
  (log: FullLog): NonNullable<RunOptions["on"]> =>
  (event, send) => {
    if (event.type !== "idle" || event.why !== "failed") return;
    log.isFull = false;
    send(prompt("again"));
  };

test("full from the start: one message, no call, and the prompt waits for the next command", async () => {
  const log = new FullLog();
  log.isFull = true;
  const { events, model } = await run([says("hello")], {
    log,
    idles: 2,
    on: freedBy(log),
  });
  expect(events.filter(({ type }) => type === "idle")).toEqual([
    { type: "idle", why: "failed", message: "The disk is full." },
    { type: "idle", why: "done" },
  ]);
  expect(events).toContainEqual({ type: "queue", waiting: ["go"] });
  expect(log.attempts).toBeLessThan(5);
  expect(model.requests).toHaveLength(1);
  expect(of(log.path, "user").map(({ content }) => content)).toEqual([
    [{ type: "text", text: "go" }],
    [{ type: "text", text: "again" }],
  ]);
});

test("full during a turn: the turn ends; what was typed meanwhile waits, and the next prompt continues from what is on disk", async () => {
  const log = new FullLog();
  const script = [{ ...uses("a", "read"), before: () => (log.isFull = true) }, says("fine")];
  const { events, model } = await run(script, {
    log,
    idles: 2,
    on: (event, send, ...more) => {
      const isFirst = of(log.path, "user").length === 1 && !log.isFull;
      if (isFirst && event.type === "entry") send(prompt("also this"));
      freedBy(log)(event, send, ...more);
    },
  });
  expect(events).toContainEqual({ type: "queue", waiting: ["also this"] });
  expect(ending(events)).toEqual({ type: "idle", why: "done" });
  expect(model.requests).toHaveLength(2);
  expect(of(log.path, "user")).toHaveLength(3);
});

test("full when news arrives: it is delivered with the next prompt", async () => {
  const log = new FullLog();
  let idles = 0;
  const { model } = await run([says("ok"), says("I see.")], {
    log,
    idles: 3,
    on: (event, send) => {
      if (event.type !== "idle") return;
      log.isFull = ++idles === 1;
      if (idles === 1) send({ type: "news", title: "report", text: "All is well." });
      if (idles === 2) send(prompt("again"));
    },
  });
  expect(of(log.path, "context").map(({ title }) => title)).toEqual(["report"]);
  expect(JSON.stringify(model.requests.at(-1)?.messages)).toContain("All is well.");
});

test("full when mode auto is refused: the session continues", async () => {
  const log = new FullLog();
  const toolbox = new ScriptedToolbox();
  toolbox.whyNoAuto = async () => "Nothing can be confined here.";
  const { events } = await run([says("ok"), says("again")], {
    log,
    toolbox,
    idles: 2,
    on: ({ type }, send) => {
      if (type === "idle" && (log.isFull = toolbox.mode === "default"))
        send({ type: "mode", mode: "auto" });
      if (type === "mode")
        setImmediate(() => {
          log.isFull = false;
          send(prompt("again"));
        });
    },
  });
  expect(toolbox.mode).toBe("accept-edits");
  expect(ending(events)).toMatchObject({ type: "idle", why: "done" });
});
