/** Possible sessions, for properties: a list of steps, and the path that results from it. */

import fc from "../properties.ts";
import type { AssistantBlock } from "../../src/protocol/block.ts";
import type { Change, Entry } from "../../src/protocol/entry.ts";
import { begin, Builder, call, countTokens, picture, say, think } from "./build.ts";
import { told } from "./summary/say.ts";

/** A position in a list, as a fraction of its length. */
export const share = fc.integer({ min: 0, max: 999 }).map((n) => n / 1_000);
const chars = fc.oneof(
  { weight: 6, arbitrary: fc.integer({ min: 0, max: 400 }) },
  { weight: 2, arbitrary: fc.integer({ min: 400, max: 20_000 }) },
  { weight: 1, arbitrary: fc.integer({ min: 20_000, max: 60_000 }) },
);
const rarely = fc.integer({ min: 0, max: 11 }).map((n) => n === 0);
const words = fc.integer({ min: 0, max: 900 });
const flag = fc.boolean();

/** `lost`: the result is missing because of a crash. */
const aCall = fc.record({
  tool: fc.constantFrom("Read", "Grep", "Bash", "Edit"),
  file: fc.integer({ min: 0, max: 3 }),
  chars,
  fails: rarely,
  image: rarely,
  lost: rarely,
});
const calls = fc.array(aCall, { minLength: 1, maxLength: 4 });

const step = <D extends string, T>(
  weight: number,
  does: D,
  parts: { [K in keyof T]: fc.Arbitrary<T[K]> },
) => ({ weight, does, arbitrary: fc.record(parts).map((rest) => ({ do: does, ...rest })) });

/** Steps of the conversation itself; in "work", results come in any order, perhaps with a message in between. */
const ordinary = [
  step(4, "prompt", { chars: words, image: rarely }),
  step(1, "context", { chars: words }),
  step(9, "work", { thinks: flag, chars: words, calls, reversed: flag, typed: rarely }),
  step(4, "finish", { thinks: flag, chars: words }),
  step(1, "broken", { stop: fc.constantFrom("failed", "interrupted"), empty: flag }),
  step(1, "wait", { minutes: fc.integer({ min: 1, max: 90 }) }),
  step(1, "unsent", { what: fc.constantFrom("note", "checkpoint", "count", "unknown") }),
];

/** Steps that change the view or the path; "repair": the API refused a block, or earlier thinking. */
const edits = [
  step(3, "replace", { at: share }),
  step(1, "input", { at: share }),
  step(3, "cover", { from: share, to: share }),
  step(1, "corrupt", { at: share, to: share }),
  step(3, "restore", { at: share, part: fc.option(share, { nil: null }) }),
  step(1, "pin", { at: share, on: flag }),
  step(1, "repair", { at: share, block: flag, thinking: flag }),
  step(1, "model", { name: fc.constantFrom("m1", "m2") }),
  step(1, "rewind", { to: share }),
];

type Made<A> = A extends fc.Arbitrary<infer S> ? S : never;
export type Step = Made<(typeof ordinary | typeof edits)[number]["arbitrary"]>;

type Options = { plain?: boolean; most?: number; only?: readonly Step["do"][] };

/** Steps of a session; `plain`: without edits, forks and changes of the model; `only`: of these, as often as they are listed. */
export const steps = ({ plain, most = 40, only }: Options = {}): fc.Arbitrary<Step[]> => {
  const all = [...ordinary, ...(plain ? [] : edits)];
  const some = only
    ? only.flatMap((name) =>
        all.filter(({ does }) => does === name).map(({ arbitrary }) => ({ weight: 1, arbitrary })),
      )
    : all;
  return fc.array(fc.oneof(...some), { minLength: 1, maxLength: most, size: "max" });
};

/** The session that results from the steps. Deterministic. */
export function play(script: readonly Step[]): Builder {
  const session = new Builder();
  session.add(told("instructions", "AGENTS.md", prose(90)));
  session.user("Begin.");
  for (const [index, step] of script.entries()) take(session, step, index);
  return session;
}

/** The path that results from the steps. */
export const paths = (options: Options = {}): fc.Arbitrary<Entry[]> =>
  steps(options).map((script) => play(script).path);

const isSaid = new Set(["user", "context", "assistant", "result"]);

export function take(session: Builder, step: Step, index: number): void {
  const answers = step.do === "work" || step.do === "finish" || step.do === "broken";
  const last = session.path.findLast(({ type }) => isSaid.has(type));
  if (answers && (last?.type === "assistant" || session.view.messages.at(-1)?.role !== "user"))
    session.user("Go on.");
  switch (step.do) {
    case "prompt": {
      const content = [say(prose(step.chars)), ...(step.image ? [picture] : [])];
      session.add({ type: "user", content });
      return;
    }
    case "context":
      session.add(told("reminder", 'a "title" </context>', `${prose(step.chars)}</context>`));
      return;
    case "work":
      return work(session, step, index);
    case "finish":
      session.answer([...thought(step.thinks, index), say(prose(step.chars + 1))]);
      return;
    case "broken":
      session.answer(step.empty ? [] : [say("I was about to")], { stop: step.stop });
      return;
    case "wait":
      session.wait(step.minutes * 60_000);
      return;
    case "model":
      session.add({ type: "model", model: step.name });
      return;
    case "pin": {
      const said = session.path.filter(({ type }) => isSaid.has(type));
      const entry = pick(said, step.at);
      if (entry) session.add({ type: "pin", entry: entry.id, on: step.on });
      return;
    }
    case "repair": {
      const entry = pick(session.path, step.at);
      const isLeftOut = step.block && (entry?.type === "user" || entry?.type === "result");
      session.add({
        type: "repair",
        ...(step.thinking ? { dropsThinking: true as const } : {}),
        blocks: isLeftOut ? [{ entry: entry.id, index: 0, text: "[left out]" }] : [],
      });
      return;
    }
    case "rewind":
      return session.rewind(3 + Math.floor(step.to * (session.path.length - 2)));
    case "unsent":
      return aside(session, step.what);
    default:
      return edit(session, step);
  }
}

function work(session: Builder, step: Extract<Step, { do: "work" }>, index: number): void {
  const id = (n: number) => `call-${index}-${n}`;
  session.answer([
    ...thought(step.thinks, index),
    ...(step.chars > 0 ? [say(prose(step.chars))] : []),
    ...step.calls.map(({ tool, file }, n) => call(id(n), tool, { file_path: `/w/f${file}.ts` })),
  ]);
  const order = step.calls.map((_, n) => n);
  for (const n of step.reversed ? order.reverse() : order) {
    const one = step.calls[n];
    if (!one || one.lost) continue;
    const path = `/w/f${one.file}.ts`;
    session.result(id(n), [say(prose(one.chars)), ...(one.image ? [picture] : [])], {
      tool: one.tool,
      ...(one.fails ? { isError: true as const } : {}),
      ...(one.tool === "Read" || one.tool === "Edit"
        ? {
            stamps: [{ path, does: one.tool === "Read" ? "read" : "write", hash: "h", bytes: 1 }],
          }
        : {}),
    });
    if (step.typed) session.user("And one more thing.");
  }
}

function edit(
  session: Builder,
  step: Extract<Step, { do: "replace" | "input" | "cover" | "corrupt" | "restore" }>,
): void {
  const { path } = session;
  if (step.do === "restore") {
    const cut = pick(session.view.cuts, step.at);
    if (!cut) return;
    const ids = cut.changes.flatMap((change) => (change.kind === "cover" ? [] : [change.entry]));
    session.restore(cut.id, step.part === null ? undefined : pick(ids, step.part));
    return;
  }
  const change = changeFor(path, step);
  if (change) session.cut([change]);
}

export function changeFor(
  path: readonly Entry[],
  step: Extract<Step, { do: "replace" | "input" | "cover" | "corrupt" }>,
): Change | null {
  switch (step.do) {
    case "replace": {
      const result = pick(
        path.filter(({ type }) => type === "result"),
        step.at,
      );
      return result
        ? { kind: "replace", entry: result.id, text: `[was ${result.id}, ${path.length}]` }
        : null;
    }
    case "input": {
      const calls = path.flatMap((entry) =>
        entry.type === "assistant"
          ? entry.content.flatMap((block) =>
              block.type === "tool_use" ? [{ entry: entry.id, toolUse: block.id }] : [],
            )
          : [],
      );
      const one = pick(calls, step.at);
      return one ? { kind: "input", ...one, input: { path: `...${path.length}` } } : null;
    }
    case "cover": {
      // Usually between two places where no loop is open.
      const seams = path
        .flatMap(({ type }, row) => (row > 1 && type === "user" ? [row] : []))
        .concat(path.length);
      const ends = [pick(seams, step.from) ?? 0, pick(seams, step.to) ?? 0].sort((a, b) => a - b);
      const first = path[ends[0] ?? 0];
      const last = path[(ends[1] ?? 0) - 1];
      if (!first || !last || ends[0] === ends[1]) return null;
      return {
        kind: "cover",
        span: { from: first.id, to: last.id },
        text: `Summary to ${last.id}.`,
      };
    }
    case "corrupt": {
      const [from, to] = [pick(path, step.at)?.id ?? "e1", pick(path, step.to)?.id ?? "e0"];
      return { kind: "cover", span: { from, to }, text: `Anything from ${from} to ${to}.` };
    }
  }
}

function aside(session: Builder, what: "note" | "checkpoint" | "count" | "unknown"): void {
  if (what === "note") session.add({ type: "note", kind: "info", text: "By the way." });
  else if (what === "checkpoint") session.add({ type: "checkpoint", toolUse: "t", files: [] });
  else if (what === "unknown") session.add({ type: "unknown", raw: { type: "later" } });
  else session.add({ type: "count", tokens: countTokens(session.view.messages) });
}

const thought = (thinks: boolean, index: number): AssistantBlock[] =>
  thinks ? [think(prose(400), `signed-${index}`)] : [];

/** Lines of text with this many characters in all. */
export const prose = (length: number): string =>
  "Some words about this and that.\n".repeat(Math.ceil(length / 32)).slice(0, length);

/** A session of `count` reads of `chars` characters each, between two prompts. */
export function reads(count: number, chars: number, more: { tool?: string } = {}): Builder {
  const session = begin("Read on.");
  for (let n = 0; n < count; n++) session.step(`c${n}`, prose(chars), more);
  session.next();
  return session;
}

function pick<T>(list: readonly T[], at: number): T | undefined {
  return list[Math.min(list.length - 1, Math.floor(at * list.length))];
}
