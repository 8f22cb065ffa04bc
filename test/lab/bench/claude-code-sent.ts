/**
 * Compares imported sessions with Claude Code's own record of what it sent.
 *
 *     bun test/lab/bench/claude-code-sent.ts FILE|DIR...
 *
 * Newer versions write every request to the session's file: how many messages of the request before
 * it keeps, and the hashes of those that follow; the content of most is there as well. For each
 * request of the main conversation, the view at that time must have as many messages, and hold the
 * text of each. Messages of the system, which are reminders of the moment, are left out, and
 * neighbors with the same role count once, as our requests join them.
 */

import { z } from "zod";
import { findSourceFiles } from "../../../src/commands/import/source.ts";
import { buildRequest } from "../../../src/context/request.ts";
import { project } from "../../../src/context/view/view.ts";
import { importFile } from "../../commands/import/read.ts";
import { pathTo } from "../../path-to.ts";
import { lookUpRules } from "../../../src/model/catalog.ts";
import type { Entry } from "../../../src/protocol/entry.ts";
import { defaultPolicy } from "../../../src/protocol/policy.ts";

const block = z.looseObject({ type: z.string(), text: z.string().optional() });
const message = z.object({ role: z.string(), content: z.union([z.string(), z.array(block)]) });
const blobLine = z.object({ type: z.literal("api-request-blob"), hash: z.string(), message });
const requestLine = z.object({
  type: z.literal("api-request"),
  id: z.string(),
  base: z.string().nullish(),
  keep: z.number().nullish(),
  tail: z.array(z.string()),
  timestamp: z.string(),
  querySource: z.string(),
});

type Request = { at: string; hashes: string[]; isMain: boolean };
type Recording = { blobs: Map<string, z.infer<typeof message>>; requests: Map<string, Request> };

async function readRecording(path: string): Promise<Recording> {
  const recording: Recording = { blobs: new Map(), requests: new Map() };
  for (const text of (await Bun.file(path).text()).split("\n")) {
    if (!text.includes('"api-request')) continue;
    const json: unknown = JSON.parse(text);
    const blob = blobLine.safeParse(json);
    if (blob.success) recording.blobs.set(blob.data.hash, blob.data.message);
    const request = requestLine.safeParse(json);
    if (!request.success) continue;
    const { id, base, keep, tail, timestamp, querySource } = request.data;
    const before = recording.requests.get(base ?? "")?.hashes.slice(0, keep ?? 0) ?? [];
    const isMain = querySource === "repl_main_thread";
    recording.requests.set(id, { at: timestamp, hashes: [...before, ...tail], isMain });
  }
  return recording;
}

/** What the model was sent at a time, by our view. */
function sentAt(entries: readonly Entry[], at: string) {
  const before = entries.filter((entry) => entry.at <= at);
  const path = pathTo(before.at(-1)?.id ?? null, before);
  return buildRequest(project(path), lookUpRules("claude-sonnet-5-5"), defaultPolicy).messages;
}

const listTexts = ({ content }: z.infer<typeof message>): string[] =>
  (typeof content === "string" ? [content] : content.flatMap(({ text }) => text ?? [])).filter(
    (text) => !/^\s*<system-reminder>/.test(text),
  );

/** Unknown messages come in pairs: an answer and the results of its calls. */
function countMessages(roles: readonly string[]): number {
  return roles.filter((role, at) => role === "?" || role !== roles[at - 1]).length;
}

let [requests, equal, texts, missing] = [0, 0, 0, 0];
for (const place of process.argv.slice(2)) {
  for (const file of findSourceFiles(place)) {
    const { blobs, requests: recorded } = await readRecording(file);
    const entries = recorded.size > 0 ? importFile(file) : null;
    if (!entries) continue;
    for (const { at, hashes, isMain } of recorded.values()) {
      if (!isMain) continue;
      const ours = sentAt(entries, at);
      const theirs = hashes.map((hash) => blobs.get(hash));
      const roles = theirs.flatMap((one) => (one?.role === "system" ? [] : [one?.role ?? "?"]));
      const whole = JSON.stringify(ours);
      const wanted = theirs.flatMap((one) => (one && one.role !== "system" ? listTexts(one) : []));
      const lost = wanted.filter(
        (text) => !whole.includes(JSON.stringify(text.trim()).slice(1, -1)),
      );
      requests++;
      texts += wanted.length;
      missing += lost.length;
      if (countMessages(roles) === ours.length) equal++;
      else console.log(`${at}: ${countMessages(roles)} messages sent, ${ours.length} in the view`);
      for (const text of lost)
        console.log(`${at}: not in the view: ${JSON.stringify(text.slice(0, 100))}`);
    }
  }
}
console.log(
  `${requests} requests, ${equal} with as many messages; ${texts} texts, ${missing} not in the view`,
);
