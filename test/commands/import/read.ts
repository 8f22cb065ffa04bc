/** The result of importing a file: entries, and the request that they make. */

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, spyOn } from "bun:test";
import { buildRequest } from "../../../src/context/request.ts";
import { project } from "../../../src/context/view/view.ts";
import { disk } from "../../../src/base/durable.ts";
import { runImport } from "../../../src/commands/import/import.ts";
import { openLog } from "../../../src/log/store.ts";
import { pathTo } from "../../path-to.ts";
import { lookUpRules } from "../../../src/model/catalog.ts";
import type { Entry } from "../../../src/protocol/entry.ts";
import type { Message } from "../../../src/protocol/model.ts";
import { defaultPolicy } from "../../../src/protocol/policy.ts";
import { brokenRules } from "../../context/api-rules.ts";

const newFolder = (): string => mkdtempSync(join(tmpdir(), "imported-"));

/** The entries that a file is imported as; null when no session is found in it. */
export function importFile(path: string, sessions = newFolder()): Entry[] | null {
  // Hundreds of imports would wait for the disk.
  using _ = spyOn(disk, "fsync").mockImplementation(() => undefined);
  const nothing = (): void => undefined;
  const io = { out: nothing, err: nothing, cwd: sessions, paths: { sessions } };
  try {
    runImport([path], io, { system: "", tools: [], model: "m" });
    const [log] = new Bun.Glob("*/*.jsonl").scanSync({ cwd: sessions, absolute: true });
    if (log === undefined) return null;
    const { entries, repairs } = openLog(log, { readOnly: true });
    expect(repairs).toEqual([]);
    return [...entries];
  } finally {
    rmSync(sessions, { recursive: true });
  }
}

/** All entries; null when no session is found in the text. */
export function readEntries(text: string | Uint8Array): Entry[] | null {
  const folder = newFolder();
  const file = join(folder, "some.jsonl");
  writeFileSync(file, text);
  return importFile(file, folder);
}

/** The entries of a text that holds a session. */
export function imported(text: string | Uint8Array): Entry[] {
  const entries = readEntries(text);
  if (!entries) throw new Error("No session was found in the text.");
  return entries;
}

/** From the root to the head: what a resumed session continues from. */
export const findPath = (entries: readonly Entry[]): Entry[] =>
  pathTo(entries.at(-1)?.id ?? null, entries);

const rules = { ...lookUpRules("claude-sonnet-5-5"), windowTokens: 1e12 };

/** The messages of the next request. Fails when they break a law. */
export function sent(entries: readonly Entry[]): readonly Message[] {
  const view = project(findPath(entries));
  const { messages } = buildRequest(view, rules, defaultPolicy);
  expect(brokenRules(messages)).toEqual([]);
  const blocks = messages.flatMap(({ content }) => content);
  expect(blocks.filter(({ type }) => type.endsWith("thinking"))).toEqual([]);
  const calls = blocks.flatMap((block) => (block.type === "tool_use" ? [block] : []));
  expect(new Set(calls.map(({ id }) => id)).size).toBe(calls.length);
  for (const { id, name } of calls) {
    expect(id).toMatch(/^[\w-]{1,64}$/);
    expect(name).toMatch(/^[\w-]{1,64}$/);
  }
  return messages;
}

/** The messages that an imported text makes, as JSON. Fails when a cut in it does not stand. */
export function sentText(text: string): string {
  const entries = imported(text);
  expect(project(findPath(entries)).rejected).toEqual([]);
  return JSON.stringify(sent(entries));
}

/** A path in short form, one entry per line. */
export const inShort = (entries: readonly Entry[]): string[] =>
  entries.flatMap((entry) => {
    switch (entry.type) {
      case "user":
      case "context":
        return [`${entry.type}: ${words(entry.content)}`];
      case "assistant":
        return [
          `assistant: ${entry.content
            .map((block) => {
              if (block.type === "text") return block.text;
              if (block.type === "tool_use") return `${block.name}(${block.id})`;
              return block.type === "thinking" ? `(${block.thinking})` : block.type;
            })
            .join(" | ")}`,
        ];
      case "result":
        return [`result ${entry.toolUse}: ${words(entry.content)}`];
      case "cut":
        return entry.changes.map((change) =>
          change.kind === "cover"
            ? `cover ${change.span.from}-${change.span.to}: ${change.text}`
            : `${change.kind} ${change.entry}`,
        );
      case "note":
        return [`note ${entry.kind}: ${entry.text}`];
      case "model":
        return [`model: ${entry.model}`];
      default:
        return [entry.type];
    }
  });

const words = (blocks: readonly { type: string; text?: string }[]): string =>
  blocks.map(({ type, text }) => text ?? `<${type}>`).join(" | ");
