/** The laws of the view, checked over possible sessions. */

import { expect, test } from "bun:test";
import fc from "../properties.ts";
import { buildRequest } from "../../src/context/request.ts";
import { project, Projection } from "../../src/context/view/view.ts";
import type { View } from "./types.ts";
import type { Entry } from "../../src/protocol/entry.ts";
import { blockText, isThinking, type Block } from "../../src/protocol/block.ts";
import { defaultPolicy } from "../../src/protocol/policy.ts";
import { brokenRules, flat, ThinkingServer } from "./api-rules.ts";
import { Builder, rules } from "./build.ts";
import { paths, play, share, steps, take } from "./sessions.ts";

const wide = { ...rules, windowTokens: 10_000_000 };
const runs = { numRuns: 60 };

/** Everything that a view contains, as one value. */
const said = (view: View) => ({
  rows: view.rows,
  messages: view.messages,
  cuts: view.cuts,
  rejected: view.rejected,
  model: view.model,
  stale: view.staleThinking,
  midLoop: view.midLoop,
  loopStart: view.loopStart,
  covers: view.covers.map(({ cut, from, to }) => [cut.id, from, to]),
  reportedWindow: view.reportedWindow,
  calls: view.calls,
  lastUsage: view.lastUsage,
  edited: view.tokenCounts.editedTokens,
  anchor: view.anchor,
  counted: view.tokenCounts.counted,
  open: view.tokenCounts.uncounted,
  tokens: view.rows.map((_, row) => view.tokenCounts.countedTokens(row)),
  billed: view.bills.total,
});

const isEdit = ({ type }: Entry): boolean => ["cut", "restore", "model", "repair"].includes(type);

test("what is sent is valid, never changes later, and until an edit is only added to", () => {
  fc.assert(
    fc.property(paths(), (path) => {
      const projection = new Projection();
      const { view } = projection;
      const requests: { request: object; json: string }[] = [];
      let sent: string[] = [];
      for (const entry of path) {
        if (entry.type === "assistant") {
          const request = buildRequest(view, wide, defaultPolicy);
          expect(brokenRules(request.messages)).toEqual([]);
          requests.push({ request, json: JSON.stringify(request) });
          sent = flat(view.messages);
        }
        const stale = view.staleThinking;
        projection.push(entry);
        if (isEdit(entry) || stale) sent = [];
        expect(flat(view.messages).slice(0, sent.length)).toEqual(sent);
      }
      for (const { request, json } of requests) expect(JSON.stringify(request) === json).toBe(true);
    }),
    runs,
  );
});

test("following a path gives what projecting it from disk gives, and reading in between changes nothing", () => {
  fc.assert(
    fc.property(paths(), share, (path, at) => {
      const projection = new Projection();
      const stop = Math.floor(path.length * at);
      for (const [index, entry] of path.entries()) {
        if (index === stop || index % 3 === 0) void projection.view.messages;
        projection.push(entry);
        if (index === stop)
          expect(said(projection.view)).toEqual(said(project(path.slice(0, index + 1))));
      }
      const again: Entry[] = JSON.parse(JSON.stringify(path));
      expect(said(projection.view)).toEqual(said(project(again)));
    }),
    runs,
  );
});

const withoutThinking = (view: View) =>
  flat(
    view.messages.map(({ role, content }) => ({
      role,
      content: content.filter((block) => !isThinking(block)),
    })),
  );

/** A session with cuts, one of them to be undone, and steps after that. */
const undoing = fc.record({
  before: steps({ most: 25 }),
  at: share,
  after: steps({ most: 15 }),
  which: share,
});

const pickCut = ({ view: { cuts } }: Builder, which: number) =>
  cuts[Math.floor(which * cuts.length)];

/** False where a later cut is valid only because of another one, or only without it. */
const acceptSame = (one: View, other: View): boolean =>
  JSON.stringify(one.rejected) === JSON.stringify(other.rejected);

test("an undone cut leaves no trace in the content, whatever came later", () => {
  let takenBack = 0;
  fc.assert(
    fc.property(undoing, ({ before, at, after, which }) => {
      const session = play([...before, { do: "cover", from: at, to: 1 }, ...after]);
      const cut = pickCut(session, which);
      if (!cut) return;
      const path = session.path.filter(({ id }) => id !== cut.id);
      session.restore(cut.id);
      const [one, other] = [project(session.path), project(path)];
      if (!acceptSame(one, other)) return;
      takenBack++;
      expect(withoutThinking(one)).toEqual(withoutThinking(other));
    }),
    runs,
  );
  expect(takenBack).toBeGreaterThan(runs.numRuns / 4);
});

test("a cut that applies again is as if it had never been undone, whatever came in between", () => {
  let redone = 0;
  fc.assert(
    fc.property(undoing, ({ before, at, after, which }) => {
      const session = play([...before, { do: "cover", from: at, to: 1 }]);
      const cut = pickCut(session, which);
      if (!cut) return;
      const { id: undo } = session.restore(cut.id);
      for (const [index, step] of after.entries())
        if (step.do !== "rewind" && step.do !== "restore") take(session, step, 100 + index);
      const redo = session.restore(cut.id, undefined, { redo: true });
      const one = project(session.path);
      const other = project(session.path.filter(({ id }) => id !== undo && id !== redo.id));
      expect(said(session.view)).toEqual(said(one));
      if (!acceptSame(one, other)) return;
      redone++;
      expect(withoutThinking(one)).toEqual(withoutThinking(other));
      const cuts = [one, other].map((view) => [view.cuts, view.covers.map(({ cut }) => cut)]);
      expect(cuts[0]).toEqual(cuts[1]);
    }),
    { ...runs, includeErrorInReport: true },
  );
  expect(redone).toBeGreaterThan(runs.numRuns / 4);
});

const mostlyPinned = paths({
  only: ["prompt", "finish", "pin", "pin", "pin", "pin", "cover", "cover", "restore"],
});

test("only cuts hide: what summaries cover is quoted if it was pinned at each of them, else hidden by the newest", () => {
  let [quoted, hidden] = [0, 0];
  fc.assert(
    fc.property(fc.oneof(paths(), mostlyPinned), (path) => {
      const view = project(path);
      const sent = blockText(view.messages.flatMap(({ content }) => content));
      const json = JSON.stringify(view.messages);
      const pinned = new Set<string>();
      const pinnedAt = new Map<string, ReadonlySet<string>>();
      for (const entry of path) {
        if (entry.type === "cut") pinnedAt.set(entry.id, new Set(pinned));
        else if (entry.type === "pin" && entry.on) pinned.add(entry.entry);
        else if (entry.type === "pin") pinned.delete(entry.entry);
      }
      for (const [index, { entry, shown, by, text, inputs }] of view.rows.entries()) {
        if (shown === "unsent") continue;
        const over = view.cuts.filter(({ changes }) =>
          changes.some(
            (change) =>
              change.kind === "cover" &&
              (view.indexOf(change.span.from) ?? Infinity) <= index &&
              index <= (view.indexOf(change.span.to) ?? -1),
          ),
        );
        if (shown === "whole") {
          expect(over).toEqual([]);
          continue;
        }
        if (over.length === 0) {
          const change = view.cuts
            .find(({ id }) => id === by)
            ?.changes.find((one) => one.kind !== "cover" && one.entry === entry.id);
          if (change?.kind === "input") expect(inputs?.get(change.toolUse)).toBe(change.input);
          else if (change?.kind !== "replace") throw new Error(`nothing hides ${entry.id}`);
          expect(text).toBe(change.kind === "replace" ? change.text : undefined);
          if (text !== undefined) expect(json).toContain(JSON.stringify(text));
          continue;
        }
        const cover = view.covers.find(({ from, to }) => from <= index && index <= to);
        expect(shown === "covered" ? cover?.cut.id : by).toBe(over.at(-1)?.id);
        if (entry.type !== "user" && entry.type !== "assistant") continue;
        if (blockText(entry.content).trim() === "") continue;
        const isQuoted = over.every(({ id }) => pinnedAt.get(id)?.has(entry.id));
        if (over.length > 1 && isQuoted) quoted++;
        else if (over.length > 1) hidden++;
        expect(shown).toBe(isQuoted ? "replaced" : "covered");
        expect(sent.includes(`<kept entry="${entry.id}"`)).toBe(isQuoted);
      }
    }),
    { numRuns: 200 },
  );
  expect(Math.min(quoted, hidden)).toBeGreaterThan(3);
});

const countImages = (blocks: readonly Block[]): number =>
  blocks
    .flatMap((block) => (block.type === "tool_result" ? block.content : [block]))
    .filter(({ type }) => type === "image").length;

test("what no standing cut hides is sent in full", () => {
  fc.assert(
    fc.property(paths(), (path) => {
      const view = project(path);
      const sent = JSON.stringify(view.messages);
      let images = 0;
      for (const { entry, shown } of view.rows) {
        if (shown !== "whole" || entry.type === "context" || !("content" in entry)) continue;
        images += countImages(entry.content);
        for (const block of entry.content) {
          if (block.type === "text" && block.text.trim() !== "")
            expect(sent).toContain(JSON.stringify(block.text));
          if (block.type === "tool_use") expect(sent).toContain(JSON.stringify(block.input));
        }
      }
      const blocks = view.messages.flatMap(({ content }) => content);
      expect(countImages(blocks)).toBeGreaterThanOrEqual(images);
      expect(view.cuts.length + view.rejected.length).toBeLessThanOrEqual(
        path.filter(({ type }) => type === "cut").length,
      );
    }),
    runs,
  );
});

test("thinking is sent as it was bound, or not at all; the open loop keeps its own", () => {
  fc.assert(
    fc.property(paths(), (path) => {
      const server = new ThinkingServer();
      const projection = new Projection();
      let editedInLoop = false;
      for (const entry of path) {
        const { view } = projection;
        if (!view.midLoop) editedInLoop = false;
        if (entry.type === "assistant" && entry.stop !== "failed") {
          const request = buildRequest(view, wide, defaultPolicy);
          const before = server.dropped;
          const { broken, answer } = server.take(request, entry.content);
          expect(broken).toEqual([]);
          if (server.dropped > before) expect(editedInLoop).toBe(true);
          expect(request.dropStaleThinking && !editedInLoop).toBe(false);
          projection.push({ ...entry, content: answer });
        } else projection.push(entry);
        if (["cut", "restore", "repair"].includes(entry.type) && view.midLoop) editedInLoop = true;
      }
      if (!path.some(isEdit)) expect(server.dropped).toBe(0);
    }),
    runs,
  );
});

test("thinking that no edit follows stays", () => {
  fc.assert(
    fc.property(paths({ plain: true }), (path) => {
      const thought = path.flatMap((entry) =>
        entry.type === "assistant" && entry.stop !== "failed"
          ? entry.content.filter(isThinking)
          : [],
      );
      const sent = project(path).messages.flatMap(({ content }) => content.filter(isThinking));
      expect(sent).toEqual(thought);
    }),
    runs,
  );
});
