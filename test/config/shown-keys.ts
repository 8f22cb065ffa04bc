import { Builder } from "../context/build.ts";
import { stage } from "../ui/stage.ts";

/** The keys of each action as /help shows them, by the action's description. */
export function shownKeys(own: Record<string, string[]> = {}, prefix?: string) {
  const on = stage(new Builder(), {
    panel: { kind: "help" },
    columns: 80,
    rows: 130,
    settings: { keys: own },
    ...(prefix === undefined ? {} : { prefix }),
  });
  const sections = on.frame().match(/^Keys: [^]*?\n$/gm) ?? [];
  const rows = sections.flatMap((section) => section.trim().split("\n").slice(1));
  return new Map(
    rows.map((row) => {
      const [, chords = "", help = ""] = /^(.*?) {2,}(\S.*)$/.exec(row) ?? [];
      return [help, chords === "" ? [] : chords.split(", ")];
    }),
  );
}
