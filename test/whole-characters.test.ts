/** Wherever a text is shortened, for the screen or for the model, no character is split. */

import { expect, test } from "bun:test";
import { z } from "zod";
import { reportOn } from "../src/model/offline/skills/run.ts";
import { requirement } from "../src/config/complaint.ts";
import { headAndTail } from "../src/context/tiers/replacement.ts";
import { findLosses } from "../src/context/summary/losses.ts";
import { wholeRange } from "../src/context/view/rows.ts";
import { quote } from "../src/model/failures.ts";
import { initialState } from "../src/ui/state.ts";
import { describeEntry } from "../src/ui/transcript/format.ts";
import { sanitize } from "../src/ui/sanitize.ts";
import { notifier } from "../src/ui/terminal/notifications.ts";
import { calls, gives, says, user, makeView } from "./context/summary/say.ts";

const family = "👩‍👩‍👧‍👦";

function exportTitle(title: string): string {
  let written = "";
  const options = { folder: "/w", by: "osc9", isWatched: () => true, now: () => 0 } as const;
  notifier({ ...options, write: (code) => (written += code) }).update({
    ...initialState("m", "default"),
    title,
  });
  return written;
}

const cuts: Record<string, (text: string) => string> = {
  "what a server said": (text) => quote(text, null),
  "a refused setting": (text) => {
    const { error } = z.number().safeParse(text);
    return error ? requirement({ path: ["x"], value: text, text, source: "--x" }, error) : "";
  },
  "the terminal's title": exportTitle,
  "a message in a panel": (text) => {
    const view = makeView(user(text));
    return view.rows.map(({ entry }) => describeEntry(view, entry)).join("\n");
  },
  "an answer in a panel": (text) => {
    const view = makeView(says(text));
    return view.rows.map(({ entry }) => describeEntry(view, entry)).join("\n");
  },
  "head and tail of a result": (text) => {
    const view = makeView(calls("t", "Bash", { command: "x" }), gives("t", "Bash", text));
    const row = view.rows.at(-1);
    return row?.entry.type === "result" ? headAndTail(view, { ...row, entry: row.entry }, 300) : "";
  },
  "a lost error message": (text) =>
    findLosses(wholeRange(makeView(user(`Error: it fails ${text}`))), "")
      .map((loss) => loss.text)
      .join("\n"),
  "the offline model's report": (text) =>
    reportOn("x", { tool: "Bash", input: {}, text, failed: false, cleared: false }),
  "a line too long for the screen": (text) => sanitize(text.repeat(80)),
};

test.each(Object.keys(cuts))("%s", (name) => {
  for (let at = 0; at < family.length; at++) {
    const shown = cuts[name]?.(`${"x".repeat(at)}${family.repeat(60)}`) ?? "";
    expect(shown).toContain(family);
    expect(shown.replaceAll(family, "")).not.toMatch(/[^\p{ASCII}…⏎]/u);
  }
});
