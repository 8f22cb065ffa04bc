import { expect, test } from "bun:test";
import { Builder } from "../../context/build.ts";
import { stage } from "../stage.ts";

const commands = async () => [
  { name: "fix:issue", description: "Fix an \u001b[2Jissue", argumentHint: "[number]" },
];

test("the slash menu and /help offer commands of files, with what they do", async () => {
  const help = stage(new Builder(), { panel: { kind: "help" }, rows: 130, services: { commands } });
  await help.settle();
  expect(help.frame()).toMatch(/\/fix:issue +Fix an issue: \[number\]/);
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

test.each(["/fix:issue", "/init"])(
  "a message that follows %s in the same read is sent after it",
  async (command) => {
    const on = stage(new Builder(), { services: { commands } });
    await on.press(`${command}\rhello\r`);
    await on.settle();
    const hello = { content: [{ text: "hello" }] };
    expect(on.sent).toMatchObject([{ type: "prompt" }, { type: "prompt", ...hello }]);
  },
);

test("a path or a server that begins like a built-in command is none", async () => {
  const served = async () => [{ name: "mcp__memory__recall", description: "", argumentHint: "" }];
  const on = stage(new Builder(), { services: { commands: served } });
  await on.press("/export/home is full\r", "/memory:recall\r");
  await on.settle();
  expect(on.sent).toMatchObject([{ type: "prompt" }, { type: "prompt" }]);
  expect(on.store.state.panel).toBeNull();
});

test("a line that starts with # becomes a note; a heading or a longer text is a message", async () => {
  const on = stage(new Builder());
  await on.press("# use tabs", "<enter>");
  expect(on.sent).toEqual([{ type: "remember", note: "use tabs" }]);
  expect(on.message()).toContain("/memory");
  await on.press("## a heading", "<enter>");
  expect(on.sent.at(-1)).toMatchObject({ type: "prompt" });
});
