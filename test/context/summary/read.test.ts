/** Which answers of a model are taken for a summary, and what of them is kept. */

import { expect, test } from "bun:test";
import { failures, notes, world } from "../../agent/compaction/harness.ts";
import { text } from "../../agent/scripted.ts";
import type { Stop } from "../../../src/protocol/model.ts";
import { says, user } from "./say.ts";

/** The summary as it was stored; if the answer was rejected three times, why. */
async function read(answer: string, stop: Stop = "end_turn"): Promise<string> {
  const said = { blocks: [text(answer)], stop };
  const one = await world([said, said, said]);
  await one.add(user("Mend the parser."), says("word after word ".repeat(90)), user("go on"));
  await one.compact();
  expect(failures(one.events)).toEqual([]);
  const [change] = one.cut().changes;
  const cover = change?.kind === "cover" ? change.text : "";
  const [, written = ""] = /<summary>\n([^]*?)\n<\/summary>/.exec(cover) ?? [];
  if (one.cut().summary?.by === "model") return written;
  return notes(one.log).join().split("its summary was rejected: ")[1] ?? "";
}

const body = `1. Intent: make the tests of the parser pass, and touch nothing else.
2. Decisions: keep the old grammar, because others read it.
8. Next step: run the tests.`;
const short = "The parser is mended; nothing is open.";

test.each<[string, string, string]>([
  [
    "without its analysis",
    `<analysis>hm, <summary> must be short</analysis>\n<summary>\n${body}\n</summary>\nDone.`,
    body,
  ],
  ["with tags in capitals", `<SUMMARY>${body}</SUMMARY>`, body],
  ["without tags, with its sections", `<analysis>so</analysis>\n${body}`, body],
  [
    "with tags in it, which do not end it",
    `<summary>${body} It said </summary> and <analysis> once.</summary>`,
    `${body} It said  and  once.`,
  ],
  ["short, between its tags", `<summary>${short}</summary>`, short],
  ["of twenty letters", `<summary>${"a".repeat(20)}</summary>`, "a".repeat(20)],
])("a summary %s", async (_, answer, kept) => {
  expect(await read(answer)).toBe(kept);
});

test.each<[reason: string, what: string, answer: string, stop: Stop]>([
  ["it is empty", "nothing", "", "end_turn"],
  ["it is empty", "a few words", "<summary>Nothing yet.</summary>", "end_turn"],
  ["it is empty", "dashes and dots", `<summary>Done.${" - ...".repeat(100)}</summary>`, "end_turn"],
  ["it was cut off", "the output limit", `<summary>${body}</summary>`, "max_tokens"],
  ["it was cut off", "no closing tag", `<summary>${body}`, "end_turn"],
  ["its analysis was cut off", "an analysis without end", `<analysis>${body}`, "end_turn"],
  ["the model declined to write it", "a refusal", `<summary>${body}</summary>`, "refusal"],
  ["the model called a tool instead", "a tool call", body, "tool_use"],
  ["the answer is not a summary", "no tags and few words", short, "end_turn"],
  [
    "the answer is not a summary",
    "the work going on",
    `Sure, I will now ${"go on and ".repeat(9)}`,
    "end_turn",
  ],
  [
    "it is no smaller than",
    "as much as it replaces",
    `<summary>${"more ".repeat(400)}</summary>`,
    "end_turn",
  ],
])("rejected because %s: %s", async (reason, _, answer, stop) => {
  expect(await read(answer, stop)).toStartWith(reason);
});
