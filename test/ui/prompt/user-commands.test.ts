import { expect, test } from "bun:test";
import { blockText } from "../../../src/protocol/block.ts";
import { Builder } from "../../context/build.ts";
import { stage } from "../stage.ts";

const commands = async () => [
  { name: "fix:issue", description: "Fix an \u001b[2Jissue", argumentHint: "[number]" },
];

test("the slash menu offers commands of files, with what they do", async () => {
  const on = stage(new Builder(), { services: { commands } });
  await on.press("/fix");
  await on.settle();
  const { list } = on.controller.prompt.completion;
  expect(list?.candidates).toEqual(["fix:issue"]);
  expect(list?.commands?.get("fix:issue")).toMatchObject({
    help: "Fix an issue",
    usage: "[number]",
    group: "your own",
  });
  await on.press("<tab>", "12", "<enter>");
  await on.settle();
  expect(on.sent).toEqual([{ type: "prompt", content: [{ type: "text", text: "/fix:issue 12" }] }]);
});

test("a command that does not exist is not sent; a path is a message", async () => {
  const on = stage(new Builder(), { services: { commands } });
  await on.press("/nothing", "<enter>");
  await on.settle();
  expect(on.sent).toEqual([]);
  expect(on.message()).toContain("Unknown command /nothing");
  await on.press("/etc/hosts", "<enter>");
  await on.settle();
  expect(on.sent).toHaveLength(1);
});

test("a message that follows one of these commands in the same read is sent after it", async () => {
  const on = stage(new Builder(), { services: { commands } });
  await on.press("/fix:issue\rhello\r");
  await on.settle();
  const texts = on.sent.map((command) =>
    command.type === "prompt" ? blockText(command.content) : command.type,
  );
  expect(texts).toEqual(["/fix:issue", "hello"]);
});

test("a path or a server that begins like a built-in command is none", async () => {
  const served = async () => [{ name: "mcp__memory__recall", description: "", argumentHint: "" }];
  const on = stage(new Builder(), { services: { commands: served } });
  await on.press("/export/home is full\r", "/memory:recall\r");
  await on.settle();
  expect(on.sent).toMatchObject([{ type: "prompt" }, { type: "prompt" }]);
  expect(on.store.state.panel).toBeNull();
});

test("a message that follows /init in the same read is sent after it", async () => {
  const on = stage(new Builder());
  await on.press("/init\rhello\r");
  await on.settle();
  const texts = on.sent.map((command) =>
    command.type === "prompt" ? blockText(command.content).slice(0, 5) : command.type,
  );
  expect(texts).toHaveLength(2);
  expect(texts[1]).toBe("hello");
});
