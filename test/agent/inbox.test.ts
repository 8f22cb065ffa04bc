/** Queued prompts: which are sent, with which model, and what is reported about the others. */

import { expect, test } from "bun:test";
import { hooksWith } from "../extensions/hooks/hooks-with.ts";
import { of, prompt, run, type SlashCommand, types } from "./harness.ts";
import { says } from "./scripted.ts";

const look: SlashCommand = {
  parts: [{ kind: "text", text: "Look." }],
  files: [],
  allowedTools: [],
  isProject: false,
  model: "other",
};
const findCommand = async (name: string) => (name === "look" ? look : null);

test("the model of one of several prompts answers them all, and no later one", async () => {
  const { model, log, events } = await run([says("ok"), says("ok")], {
    prompts: ["/look", "and this"],
    findCommand,
    next: [prompt("again")],
  });
  expect(model.requests.map((request) => request.model)).toEqual(["other", "scripted"]);
  expect(of(log.entries, "model").map(({ model: name }) => name)).toEqual(["other", "scripted"]);
  const last = events.filter(({ type }) => type === "rules" || type === "idle").slice(-3);
  expect(last).toMatchObject([{ rules: { model: "scripted" } }, { type: "idle" }, {}]);
});

test("a hook refuses one prompt; the other is sent", async () => {
  for (const refusal of [{ block: "No secrets." }, { stop: "No secrets." }]) {
    const { log, events } = await run([says("ok")], {
      prompts: ["go", "the key"],
      hooks: hooksWith({
        UserPromptSubmit: async ({ prompt: words }) => (words === "the key" ? refusal : {}),
      }),
    });
    expect(types(log.path)).toEqual(["session", "user", "note", "assistant"]);
    const [note] = of(log.path, "note");
    expect(note?.text).toBe("Your message was not sent: No secrets.");
    // A prompt that a hook refused is not offered again.
    expect(events.filter(({ type }) => type === "unsent")).toEqual([]);
  }
});
