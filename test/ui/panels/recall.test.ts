import { expect, test } from "bun:test";
import { contextFact } from "../../../src/protocol/context-fact.ts";
import type { Entry } from "../../../src/protocol/entry.ts";
import { makeTheme } from "../../../src/ui/theme.ts";
import { Builder, say } from "../../context/build.ts";
import { makeReport } from "../../facts.ts";
import type { Services } from "../quiet-services.ts";
import { stage } from "../stage.ts";

type Recalled = Awaited<ReturnType<Services["recall"]>>[number];

type Recall = Services["recall"];

const base = { id: "e2", parent: null, at: "2026-11-20T00:00:00Z" };

const said = (id: string, text: string): Entry => ({
  ...base,
  id,
  type: "user",
  content: [say(text)],
});

const hit = (id: string, text: string, session: string | null = null): Recalled => ({
  entry: said(id, text),
  session,
  snippet: `…${text}…`,
  stale: [],
});

const open = (
  text: string,
  recall: Recall,
  more: Parameters<typeof stage>[1] = {},
  session = new Builder(),
) =>
  stage(session, {
    panel: { kind: "recall", text },
    columns: 110,
    ...more,
    services: { recall, ...more.services },
  });

/** Finds one entry in the session, another one in an older session. */
function harbour() {
  const asked: string[] = [];
  const recall: Recall = async (words, where) => {
    asked.push(`${where}: ${words}`);
    return where === "session" ? [hit("e2", "a harbour")] : [hit("e7", "an anchor", "older")];
  };
  return { asked, recall };
}

test("searches while typing, says what was removed, and adds the chosen entry to the end of the context", async () => {
  const { asked, recall } = harbour();
  const session = new Builder();
  session.turn("a harbour", "Here.");
  session.cover("e2", "e3");
  const { press, settle, frame, sent } = open("har", recall, {}, session);
  await settle();
  await press("bour");
  await settle();
  expect(asked[0]).toBe("session: har");
  expect(asked.at(-1)).toBe("session: harbour");
  expect(frame()).toContain("you: a harbour  [summarized]");
  await press("<enter>", "<tab>");
  expect(sent).toEqual([{ type: "recall", entry: "e2" }]);
});

// eslint-disable-next-line no-control-regex -- the codes themselves
const underlined = /\x1b\[4[^m]*m(?:\x1b\[[^m]*m)*([^\x1b]+)/;

test("the words that were searched are marked in the list and in the text that opens", async () => {
  const lines = ["no", "the Harbour lies"];
  const openOriginal = async () => ({ lines: 2, bytes: 9, read: async () => lines });
  const more = { theme: makeTheme("dark", 256), services: { openOriginal } };
  const on = open("harbour", harbour().recall, more);
  const marked = (): string[] => {
    const screen = on.rows(80, 24).join("\n");
    return underlined.exec(screen)?.slice(1) ?? [];
  };
  await on.settle();
  expect(marked()).toEqual(["harbour"]);
  await on.press("<enter>");
  on.rows(80, 24);
  await on.settle();
  expect(marked()).toEqual(["Harbour"]);
});

test("an entry of another session is put into the prompt by its handle", async () => {
  const { asked, recall } = harbour();
  const { press, settle, frame, sent, prompt } = open("anchor", recall);
  await press("<shift+tab>");
  await settle();
  expect(asked.at(-1)).toBe("project: anchor");
  expect(frame()).toContain("older  you: an anchor");
  await press("<tab>");
  expect(sent).toEqual([]);
  expect(prompt()).toBe("recall older#e7");
});

test("an entry is named by who said it, or by what it is", async () => {
  const names: [entry: Entry, name: string][] = [
    [said("e2", "# Some **bold** `words`"), "you: Some bold words"],
    [{ ...base, ...contextFact("shell", "ls -la", "x") }, "shell: ls -la"],
    [{ ...base, ...contextFact("environment", "environment", "x") }, "environment"],
    [{ ...base, ...makeReport({ tool: "Bash" }) }, "older  result of Bash"],
  ];
  for (const [entry, name] of names) {
    const { settle, frame } = open("x", async () => [
      { ...hit("e2", "x", entry.type === "result" ? "older" : null), entry },
    ]);
    await settle();
    expect(frame()).toMatch(new RegExp(` ${RegExp.escape(name)} *$`, "m"));
  }
});

test("a search that ends late does not replace the result of a newer one", async () => {
  const late = Promise.withResolvers<Recalled[]>();
  const { press, frame, settle } = open("har", async (words) =>
    words === "har" ? late.promise : [hit("e2", "a harbour")],
  );
  expect(frame()).toContain("Searching …");
  await press("b");
  late.resolve([hit("e1", "a hare")]);
  await settle();
  expect(frame()).toContain("a harbour");
  expect(frame()).not.toContain("a hare");
});
