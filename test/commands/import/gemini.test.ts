import { expect, test } from "bun:test";
import { imported, inShort, pathOf, sent } from "./read.ts";

type Extra = { [key: string]: unknown };

const header = {
  sessionId: "0199-gemini",
  projectHash: "a".repeat(64),
  startTime: "2026-05-01T09:00:00Z",
};

let minute = 0;
const message = (id: string, type: string, content: unknown, more: Extra = {}): Extra => ({
  id,
  timestamp: `2026-05-01T09:${String(++minute % 60).padStart(2, "0")}:00Z`,
  type,
  content,
  ...more,
});

const conversation = (): Extra[] => [
  message("u1", "user", [{ text: "where is the till?" }]),
  message("g1", "gemini", "I look.", {
    model: "gemini-3-pro",
    thoughts: [{ subject: "Look", description: "in till.ts" }],
    toolCalls: [
      {
        id: "c1",
        name: "read_file",
        args: { absolute_path: "/work/till.ts" },
        result: [{ functionResponse: { id: "c1", response: { output: "count the till" } } }],
        status: "success",
      },
      {
        id: "c2",
        name: "run_shell_command",
        args: { command: "false" },
        result: [{ functionResponse: { response: { error: "exit 1" } } }],
        status: "error",
      },
    ],
    tokens: { input: 100, cached: 60, output: 7, thoughts: 3, tool: 0, total: 110 },
  }),
  message("g2", "gemini", "In till.ts.", { model: "gemini-3-pro" }),
];

const lines = (...all: unknown[]): string => all.map((one) => `${JSON.stringify(one)}\n`).join("");

test("imports answers with their thoughts, calls, results and tokens", () => {
  const entries = imported(lines(header, ...conversation()));
  expect(inShort(pathOf(entries)).slice(1, -3)).toEqual([
    "user: where is the till?",
    "model: Gemini CLI: gemini-3-pro",
    "assistant: (Look\nin till.ts) | I look. | Read(c1) | Bash(c2)",
    "result c1: count the till",
    "result c2: exit 1",
    "assistant: In till.ts.",
  ]);
  const [answer] = entries.filter((entry) => entry.type === "assistant");
  expect(answer?.usage).toEqual({ input: 40, cacheRead: 60, cacheWrite: 0, output: 10 });
  const results = entries.filter((entry) => entry.type === "result");
  expect(results[0]?.stamps).toMatchObject([{ path: "/work/till.ts" }]);
  expect(results[1]?.isError).toBe(true);
  sent(entries);
});

test("the latest version of a message counts, and what was rewound is gone", () => {
  const [asked, first, second] = conversation();
  const changed = message("g2", "gemini", "In till.ts:3.", { model: "gemini-3-pro" });
  const entries = imported(
    lines(
      header,
      asked,
      first,
      second,
      changed,
      message("u2", "user", "wrong way"),
      { $rewindTo: "u2" },
      message("u3", "user", "right way"),
      { $set: { summary: "The till" } },
    ),
  );
  const short = inShort(pathOf(entries));
  expect(short).toContain("assistant: In till.ts:3.");
  expect(short).not.toContain("assistant: In till.ts.");
  expect(short).not.toContain("user: wrong way");
  expect(short).toContain("user: right way");
  expect(short).toContain("note title: The till");
});

test("reads the JSON of older versions, on one line or on many", () => {
  const document = { ...header, messages: conversation() };
  const many = inShort(imported(JSON.stringify(document, null, 2)));
  expect(many).toContain("user: where is the till?");
  expect(inShort(imported(JSON.stringify(document))).slice(1, 5)).toEqual(many.slice(1, 5));
});

test("accepts messages of any shape", () => {
  const odd = [
    message("a", "user", null),
    message("b", "gemini", [3, { inlineData: { data: "?" } }, { weird: 1 }], { toolCalls: [{}] }),
    message("c", "future", "x"),
    { id: "d" },
  ];
  sent(imported(lines(header, message("u", "user", "hello"), ...odd)));
});
