/** A conversation in short form: entries as the log would hold them. */

import { answer as answerOf, at, sessionWith } from "../../facts.ts";
import { noUsage } from "../../../src/protocol/model.ts";
import { project } from "../../../src/context/view/view.ts";
import type { View } from "../types.ts";
import type { ToolInput } from "../../../src/protocol/block.ts";
import type { Entry, Fact, FileStamp } from "../../../src/protocol/entry.ts";

type FactOf<T extends Fact["type"]> = Extract<Fact, { type: T }>;

export const session: Fact = { ...sessionWith("Recall"), system: "be good" };

export const user = (text: string): Fact => ({ type: "user", content: [{ type: "text", text }] });

export const says = (text: string): Fact => answer([{ type: "text", text }]);

export const calls = (
  id: string,
  name: string,
  input: ToolInput,
  words = "",
): FactOf<"assistant"> =>
  answer([
    ...(words === "" ? [] : [{ type: "text" as const, text: words }]),
    { type: "tool_use", id, name, input },
  ]);

const answer = (content: FactOf<"assistant">["content"]): FactOf<"assistant"> => {
  const calls = content.some(({ type }) => type === "tool_use");
  return answerOf(noUsage, content, { stop: calls ? "tool_use" : "end_turn" });
};

/** What the program told the model. */
export const told = (kind: FactOf<"context">["kind"], title: string, text: string): Fact => ({
  type: "context",
  kind,
  title,
  content: [{ type: "text", text }],
});

export const gives = (
  toolUse: string,
  tool: string,
  text: string,
  more: { stamps?: FileStamp[]; isError?: true; file?: string } = {},
): Fact => ({
  type: "result",
  toolUse,
  tool,
  content: [{ type: "text", text }],
  bytes: text.length,
  lines: text.split("\n").length,
  ...more,
});

export const stamp = (
  path: string,
  does: "read" | "write",
  lines?: [number, number],
): FileStamp => ({
  path,
  does,
  hash: "h",
  bytes: 1,
  ...(lines ? { lines } : {}),
});

/** A read of a file: the call and its result. */
export const reads = (id: string, path: string, text: string): Fact[] => [
  calls(id, "Read", { file_path: path }),
  gives(id, "Read", text, { stamps: [stamp(path, "read")] }),
];

/** Ids are e1, e2, ... in this order; e1 is the session. */
export const makePath = (...facts: Fact[]): Entry[] =>
  [session, ...facts].map((fact, index) => ({
    id: `e${index + 1}`,
    parent: index === 0 ? null : `e${index}`,
    at,
    ...fact,
  }));

export const makeView = (...facts: Fact[]): View => project(makePath(...facts));
