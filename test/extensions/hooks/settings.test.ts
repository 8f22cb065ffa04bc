import { expect, test } from "bun:test";
import { parseHooks } from "../../../src/extensions/hooks/settings.ts";

const parse = (hooks: unknown) =>
  parseHooks({ hooks, source: "settings.json", folder: "/p", isProject: true });

test("commands are read by event, with matcher and timeout", () => {
  const { hooks, problems } = parse({
    PreToolUse: [
      { matcher: "Edit|Write", hooks: [{ type: "command", command: "a", timeout: 5 }] },
      { hooks: [{ type: "command", command: "b" }] },
    ],
    Stop: [{ hooks: [{ type: "command", command: "c", statusMessage: "…" }] }],
  });
  expect(problems).toEqual([]);
  expect(
    hooks.map(({ event, matcher, command, timeoutMs }) => [event, matcher, command, timeoutMs]),
  ).toEqual([
    ["PreToolUse", "Edit|Write", "a", 5_000],
    ["PreToolUse", undefined, "b", 60_000],
    ["Stop", undefined, "c", 60_000],
  ]);
  expect(hooks[0]).toMatchObject({ source: "settings.json", folder: "/p", isProject: true });
});

test("a question to a model has a model and a timeout of its own", () => {
  const ask = { type: "prompt", prompt: "Done?" };
  const { hooks } = parse({ Stop: [{ hooks: [ask, { ...ask, timeout: 5, model: "opus" }] }] });
  expect(hooks).toMatchObject([
    { prompt: "Done?", timeoutMs: 30_000, model: undefined },
    { prompt: "Done?", timeoutMs: 5_000, model: "opus" },
  ]);
});

test("an unknown event, another type and a wrong matcher are ignored and named", () => {
  const { hooks, problems } = parse({
    ToolUse: [{ hooks: [{ type: "command", command: "a" }] }],
    Stop: [{ hooks: [{ type: "agent", prompt: "Are you done?" }, { type: "prompt" }] }],
    PreToolUse: [{ matcher: "(", hooks: [{ type: "command", command: "a" }] }],
    SessionEnd: [{ hooks: [{ type: "command", command: "true" }] }],
    SessionStart: { hooks: [] },
  });
  expect(hooks.map(({ event }) => event)).toEqual(["SessionEnd"]);
  expect(problems).toEqual([
    "settings.json: there is no hook event “ToolUse”; its hooks never run.",
    "settings.json: hooks of type “agent” cannot run here; those of Stop are ignored.",
    "settings.json: hooks of type “prompt” cannot run here; those of Stop are ignored.",
    "settings.json: the matcher “(” of PreToolUse is not a valid regular expression; it is ignored.",
    "settings.json: the hooks of “SessionStart” are malformed; they are ignored.",
  ]);
  expect(parse([]).problems).toHaveLength(1);
});
