import { expect, test } from "bun:test";
import type { Entry } from "../../../src/protocol/entry.ts";
import { makeTheme } from "../../../src/ui/theme.ts";
import { Builder } from "../../context/build.ts";
import type { Services } from "../quiet-services.ts";
import { stage } from "../stage.ts";

type Recalled = Awaited<ReturnType<Services["recall"]>>[number];

const said = (id: string, text: string): Entry => ({
  id,
  parent: null,
  at: "2026-11-20T00:00:00Z",
  type: "user",
  content: [{ type: "text", text }],
});

const hit = (id: string, text: string, session: string | null = null): Recalled => ({
  entry: said(id, text),
  session,
  snippet: `…${text}…`,
  stale: [],
});

const open = (query: string) => {
  const asked: string[] = [];
  const recall = async (words: string, where: "session" | "project") => {
    asked.push(`${where}: ${words}`);
    return where === "session" ? [hit("e2", "a harbour")] : [hit("e7", "an anchor", "older")];
  };
  const one = stage(new Builder(), {
    panel: { kind: "recall", text: query },
    columns: 110,
    services: { recall },
  });
  return { ...one, asked };
};

test("searches while typing, and adds the chosen entry to the end of the context", async () => {
  const { press, settle, frame, sent, asked } = open("har");
  await settle();
  await press("bour");
  await settle();
  expect(asked[0]).toBe("session: har");
  expect(asked.at(-1)).toBe("session: harbour");
  expect(frame()).toContain("you: a harbour");
  await press("<tab>");
  expect(sent).toEqual([{ type: "recall", entry: "e2" }]);
});

// eslint-disable-next-line no-control-regex -- the codes themselves
const underlined = /\x1b\[4[^m]*m(?:\x1b\[[^m]*m)*([^\x1b]+)/;

test("the words that were searched are marked in the list and in the text that opens", async () => {
  const lines = ["no", "the Harbour lies"];
  const on = stage(new Builder(), {
    panel: { kind: "recall", text: "harbour" },
    theme: makeTheme("dark", 256),
    services: {
      recall: async () => [hit("e2", "a harbour")],
      openOriginal: async () => ({ lines: 2, bytes: 9, read: async () => lines }),
    },
  });
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
  const { press, settle, frame, sent, prompt, asked } = open("anchor");
  await press("<shift+tab>");
  await settle();
  expect(asked.at(-1)).toBe("project: anchor");
  expect(frame()).toContain("older  you: an anchor");
  await press("<tab>");
  expect(sent).toEqual([]);
  expect(prompt()).toBe("recall older#e7");
});

test("an entry is named by who said it, or by what it is", async () => {
  const base = { id: "e2", parent: null, at: "2026-11-20T00:00:00Z" };
  const context = (kind: "shell" | "environment", title: string): Entry => ({
    ...base,
    type: "context",
    kind,
    title,
    content: [{ type: "text", text: "x" }],
  });
  const names: [entry: Entry, name: string][] = [
    [said("e2", "# Some **bold** `words`"), "you: Some bold words"],
    [context("shell", "ls -la"), "shell: ls -la"],
    [context("environment", "environment"), "environment"],
  ];
  for (const [entry, name] of names) {
    const recall = async () => [{ entry, session: null, snippet: "", stale: [] }];
    const on = stage(new Builder(), {
      panel: { kind: "recall", text: "x" },
      columns: 110,
      services: { recall },
      isKept: true,
    });
    await on.settle();
    expect(on.frame()).toMatch(new RegExp(` ${RegExp.escape(name)} *$`, "m"));
    on.end();
  }
});

test("a search that ends late does not replace the result of a newer one", async () => {
  const late = Promise.withResolvers<Recalled[]>();
  const { press, frame, settle } = stage(new Builder(), {
    panel: { kind: "recall", text: "har" },
    services: {
      recall: async (words) => (words === "har" ? late.promise : [hit("e2", "a harbour")]),
    },
  });
  expect(frame()).toContain("Searching …");
  await press("b");
  late.resolve([hit("e1", "a hare")]);
  await settle();
  expect(frame()).toContain("a harbour");
  expect(frame()).not.toContain("a hare");
});
