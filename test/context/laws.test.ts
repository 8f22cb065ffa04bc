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
import { noPrice, rules } from "./build.ts";
import { plainRows } from "./view/plain-rows.ts";
import { paths, play, share, steps, take } from "./sessions.ts";

const wide = { ...rules, windowTokens: 10_000_000 };
const runs = { numRuns: 60 };

/** Everything that a view contains, as one value. */
const said = (view: View) => ({
  rows: plainRows(view.rows),
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

test("what is sent is valid, whatever happened, and never changes later", () => {
  fc.assert(
    fc.property(paths(), (path) => {
      const projection = new Projection();
      const sent: { request: object; json: string }[] = [];
      for (const entry of path) {
        if (entry.type === "assistant") {
          const request = buildRequest(projection.view, wide, defaultPolicy);
          expect(brokenRules(request.messages)).toEqual([]);
          sent.push({ request, json: JSON.stringify(request) });
        }
        projection.push(entry);
      }
      for (const { request, json } of sent) expect(JSON.stringify(request) === json).toBe(true);
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
        if (index === stop) {
          expect(said(projection.view)).toEqual(said(project(path.slice(0, index + 1))));
        }
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

test("an undone cut leaves no trace in the content, whatever came later", () => {
  let takenBack = 0;
  fc.assert(
    fc.property(
      steps({ most: 25 }),
      steps({ most: 15 }),
      share,
      share,
      (before, after, at, which) => {
        const session = play([...before, { do: "cover", from: at, to: 1 }, ...after]);
        const { path } = session;
        const { cuts } = session.view;
        const cut = cuts[Math.floor(which * cuts.length)];
        if (!cut) return;
        takenBack++;
        const restored = [...path];
        const restore = session.restore(cut.id);
        restored.push(restore);
        const never = path.filter(({ id, type }) => id !== cut.id && type !== "head");
        const [one, other] = [project(restored), project(never)];
        // A later cut may be valid only because of this one, or only without it.
        if (JSON.stringify(one.rejected) !== JSON.stringify(other.rejected)) return;
        expect(withoutThinking(one)).toEqual(withoutThinking(other));
      },
    ),
    runs,
  );
  expect(takenBack).toBeGreaterThan(runs.numRuns / 4);
});

test("a cut that applies again is as if it had never been undone, whatever came in between", () => {
  let redone = 0;
  fc.assert(
    fc.property(
      steps({ most: 25 }),
      steps({ most: 10 }),
      share,
      share,
      (before, between, at, which) => {
        const session = play([...before, { do: "cover", from: at, to: 1 }]);
        const { cuts } = session.view;
        const cut = cuts[Math.floor(which * cuts.length)];
        if (!cut) return;
        const restore = session.restore(cut.id);
        for (const [index, step] of between.entries())
          if (step.do !== "rewind" && step.do !== "restore") take(session, step, 100 + index);
        const redo = session.add({ type: "restore", cut: cut.id, redo: true, price: noPrice });
        const [one, other] = [
          project(session.path),
          project(session.path.filter(({ id }) => id !== restore.id && id !== redo.id)),
        ];
        expect(said(session.view)).toEqual(said(one));
        // A later cut may be valid only because this one was undone, or only without that.
        if (JSON.stringify(one.rejected) !== JSON.stringify(other.rejected)) return;
        redone++;
        expect(withoutThinking(one)).toEqual(withoutThinking(other));
        expect(one.cuts.map(({ id }) => id)).toEqual(other.cuts.map(({ id }) => id));
        expect(one.covers.map((cover) => cover.cut.id)).toEqual(
          other.covers.map((cover) => cover.cut.id),
        );
      },
    ),
    { ...runs, includeErrorInReport: true },
  );
  expect(redone).toBeGreaterThan(runs.numRuns / 4);
});

test("an entry that is not an edit only adds to what was sent", () => {
  fc.assert(
    fc.property(paths(), (path) => {
      const projection = new Projection();
      let sent: string[] = [];
      for (const entry of path) {
        if (entry.type === "assistant") sent = flat(projection.view.messages);
        const stale = projection.view.staleThinking;
        projection.push(entry);
        if (isEdit(entry) || stale) sent = [];
        const now = flat(projection.view.messages);
        expect(now.slice(0, sent.length)).toEqual(sent);
      }
    }),
    runs,
  );
});

test("a row is hidden only by a standing cut that names it, with the text that the cut gave", () => {
  fc.assert(
    fc.property(paths(), (path) => {
      const view = project(path);
      const sent = JSON.stringify(view.messages);
      for (const [index, row] of view.rows.entries()) {
        if (row.shown === "whole" || row.shown === "unsent") continue;
        const cut = view.cuts.find(({ id }) => id === row.by);
        const change = cut?.changes.find((one) => {
          if (one.kind !== "cover") return one.entry === row.entry.id;
          const from = view.indexOf(one.span.from) ?? Infinity;
          const to = view.indexOf(one.span.to) ?? -1;
          return index >= from && index <= to;
        });
        if (!change) throw new Error(`nothing names ${row.entry.id}`);
        expect(row.text).toBe(change.kind === "replace" ? change.text : undefined);
        if (change.kind === "replace") expect(sent).toContain(JSON.stringify(row.text));
        if (change.kind === "input") expect(row.inputs?.get(change.toolUse)).toBe(change.input);
      }
    }),
    runs,
  );
});

const mostlyPinned = paths({
  only: ["prompt", "finish", "pin", "pin", "pin", "pin", "cover", "cover", "restore"],
});

test("what summaries cover is quoted if it was pinned at each of them, else hidden by the newest", () => {
  let [quoted, hidden] = [0, 0];
  fc.assert(
    fc.property(fc.oneof(paths(), mostlyPinned), (path) => {
      const view = project(path);
      const sent = blockText(view.messages.flatMap(({ content }) => content));
      const pinned = new Set<string>();
      const pinnedAt = new Map<string, ReadonlySet<string>>();
      for (const entry of path) {
        if (entry.type === "cut") pinnedAt.set(entry.id, new Set(pinned));
        else if (entry.type === "pin" && entry.on) pinned.add(entry.entry);
        else if (entry.type === "pin") pinned.delete(entry.entry);
      }
      for (const [index, { entry, shown, by }] of view.rows.entries()) {
        const over = view.cuts.filter(({ changes }) =>
          changes.some(
            (change) =>
              change.kind === "cover" &&
              (view.indexOf(change.span.from) ?? Infinity) <= index &&
              index <= (view.indexOf(change.span.to) ?? -1),
          ),
        );
        if (over.length === 0 || shown === "unsent") continue;
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
