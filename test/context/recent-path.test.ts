import { expect, test } from "bun:test";
import fc from "../properties.ts";
import { recentPath } from "../../src/context/recent-path.ts";
import { project } from "../../src/context/view.ts";
import type { Entry } from "../../src/protocol/entry.ts";
import { paths, play, share } from "./sessions.ts";

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

test("of a session with summaries, only what came before and after the latest is left", () => {
  const turn = { do: "work" as const, thinks: true, chars: 40, reversed: false, typed: false };
  const call = {
    tool: "Bash" as const,
    file: 1,
    chars: 90,
    fails: false,
    image: false,
    lost: false,
  };
  const turns = Array.from({ length: 40 }, () => [
    { do: "prompt" as const, chars: 90, image: false },
    { ...turn, calls: [call, call] },
    { do: "finish" as const, thinks: true, chars: 60 },
  ]).flat();
  const cover = { do: "cover" as const, from: 0, to: 0.999 };
  const { path } = play([...turns, cover, ...turns.slice(0, 6), cover, ...turns.slice(0, 6)]);
  expect(path.length).toBeGreaterThan(200);
  expect(short(path).length).toBeLessThan(30);
});
