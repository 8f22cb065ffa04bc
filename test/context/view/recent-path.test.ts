import { expect, test } from "bun:test";
import fc from "../../properties.ts";
import { recentPath } from "../../../src/context/view/recent-path.ts";
import { project } from "../../../src/context/view/view.ts";
import type { Entry } from "../../../src/protocol/entry.ts";
import { Builder, call, say } from "../build.ts";
import { paths, play, share } from "../sessions.ts";

const short = (path: readonly Entry[]): readonly Entry[] =>
  recentPath(path, new Set(project(path).rejected.map(({ cut }) => cut)));

test("the messages of the shorter path are those of the path, at any moment", () => {
  let shorter = 0;
  fc.assert(
    fc.property(paths({ most: 60 }), share, (whole, at) => {
      const rejected = new Set(project(whole).rejected.map(({ cut }) => cut));
      for (const path of [whole, whole.slice(0, Math.ceil(whole.length * at))]) {
        const recent = recentPath(path, rejected);
        if (recent.length < path.length) shorter++;
        const [view, expected] = [project(recent), project(path)];
        expect(view.messages).toEqual(expected.messages);
        expect(view.staleThinking).toBe(expected.staleThinking);
      }
    }),
    { numRuns: 600 },
  );
  expect(shorter).toBeGreaterThan(30);
});

test("a summary whose span ends with a cut stays, though what that cut changed is left out", () => {
  const session = new Builder();
  const begun = session.user("Begin.");
  const read = session.step("read", "lines");
  const summarized = session.answer([say("Done.")]);
  const asked = session.user("Go on.");
  session.answer([call("lost")]);
  const replaced = session.cut([{ kind: "replace", entry: read.id, text: "[was read]" }]);
  session.cover(asked.id, replaced.id, "A call was lost.");
  session.user("Again.");
  session.answer([say("Done again.")]);
  session.cover(begun.id, summarized.id, "A file was read.");
  const { path } = session;
  expect(short(path).length).toBeLessThan(path.length);
  expect(project(short(path)).messages).toEqual(project(path).messages);
});

test("in a session with summaries, only entries before and after the latest one's span are left", () => {
  const turn = { do: "work" as const, thinks: true, chars: 40, reversed: false, typed: false };
  const bash = {
    tool: "Bash" as const,
    file: 1,
    chars: 90,
    fails: false,
    image: false,
    lost: false,
  };
  const turns = Array.from({ length: 40 }, () => [
    { do: "prompt" as const, chars: 90, image: false },
    { ...turn, calls: [bash, bash] },
    { do: "finish" as const, thinks: true, chars: 60 },
  ]).flat();
  const cover = { do: "cover" as const, from: 0, to: 0.999 };
  const { path } = play([...turns, cover, ...turns.slice(0, 6), cover, ...turns.slice(0, 6)]);
  expect(path.length).toBeGreaterThan(200);
  expect(short(path).length).toBeLessThan(30);
});

test("a summary of the server is only followed alone if nothing removed thinking before it", () => {
  const block = { type: "compaction" as const, content: "Sum.", signature: "s" };
  const session = (isCut: boolean): readonly Entry[] => {
    const one = new Builder();
    one.user("Begin.");
    const read = one.step("read", "lines");
    const { id: to } = one.answer([say("Done.")]);
    one.user("Go on.");
    if (isCut) one.cut([{ kind: "replace", entry: read.id, text: "[was read]" }]);
    one.answer([say("Done again.")]);
    one.cut([{ kind: "cover", span: { from: "e2", to }, text: "Sum.", block }], "summary");
    return one.path;
  };
  const [plain, cut] = [session(false), session(true)];
  expect(short(plain).length).toBeLessThan(plain.length);
  expect(short(cut)).toBe(cut);
});
