import { expect, test } from "bun:test";
import fc from "../../properties.ts";
import { readSummary } from "../../../src/context/summary/read.ts";

const body = `1. Intent: make the tests of the parser pass, and touch nothing else.
2. Decisions: keep the old grammar, because others read it.
8. Next step: run the tests.`;

test("the analysis is dropped, the summary stays", () => {
  const answer = `<analysis>hm, <summary> must be short</analysis>\n<summary>\n${body}\n</summary>\nDone.`;
  expect(readSummary(answer, "end_turn")).toEqual({ text: body });
});

test("tags may be in capitals", () => {
  expect(readSummary(`<SUMMARY>${body}</SUMMARY>`, "end_turn")).toEqual({ text: body });
});

test("a summary without tags passes when it has the sections", () => {
  expect(readSummary(`<analysis>so</analysis>\n${body}`, "end_turn")).toEqual({ text: body });
});

test("tags within the summary cannot end it early", () => {
  const answer = `<summary>${body} It said </summary> and <analysis> once.</summary>`;
  const read = readSummary(answer, "end_turn");
  expect("text" in read && read.text).toBe(`${body} It said  and  once.`);
});

test.each([
  ["nothing", "", "end_turn", "empty"],
  ["empty tags", "<summary>  </summary>", "end_turn", "empty"],
  ["a few words", "<summary>All good.</summary>", "end_turn", "empty"],
  ["the output limit", `<summary>${body}</summary>`, "max_tokens", "cut off"],
  ["a full window", `<summary>${body}`, "model_context_window_exceeded", "cut off"],
  ["no closing tag", `<summary>${body}`, "end_turn", "cut off"],
  ["an analysis without end", `<analysis>${body}`, "end_turn", "analysis"],
  ["a refusal", `<summary>${body}</summary>`, "refusal", "declined"],
  ["a tool call", body, "tool_use", "tool"],
  [
    "the work going on",
    "Sure, I will now go on and change the parser as you asked me to before, beginning with the lexer.",
    "end_turn",
    "not a summary",
  ],
] as const)("rejected: %s", (_, answer, stop, reason) => {
  const read = readSummary(answer, stop);
  expect("rejected" in read && read.rejected).toContain(reason);
});

test("a summary between its tags may be short; without tags, a short text is none", () => {
  const short = "The parser is mended; nothing is open.";
  expect(readSummary(`<summary>${short}</summary>`, "end_turn")).toEqual({ text: short });
  expect(readSummary("<summary>Nothing yet.</summary>", "end_turn")).toEqual({
    rejected: "it is empty",
  });
  expect(readSummary(short, "end_turn")).toEqual({ rejected: "the answer is not a summary" });
});

test("dashes and dots are not a summary, however many", () => {
  const dashes = `<summary>Done.${" - ...".repeat(100)}</summary>`;
  expect(readSummary(dashes, "end_turn")).toEqual({ rejected: "it is empty" });
});

test("a summary as large as what it replaces is rejected", () => {
  const answer = `<summary>${body}</summary>`;
  expect(readSummary(answer, "end_turn", body.length + 1)).toEqual({ text: body });
  expect(readSummary(answer, "end_turn", body.length)).toEqual({
    rejected: "it is no smaller than what it would replace",
  });
});

test("whatever a model answers, none of our tags get through", () => {
  const piece = fc.constantFrom("<summary>", "</summary>", "<analysis>", "</analysis>", body, "x ");
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
      const read = readSummary(pieces.join(""), "end_turn");
      if ("text" in read) expect(read.text).not.toMatch(/<\/?(?:summary|analysis)>/);
    }),
  );
});
