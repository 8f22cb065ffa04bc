import { numberedLines } from "../results.ts";
import { placesIn } from "../report.ts";
import { call, type Skill } from "../skill.ts";
import { bare, fenced, paragraphs } from "../text.ts";
import { argument, type Step } from "../turn.ts";
import { commands } from "./commands.ts";

const asks =
  /^(?:why (?:do|are|does|is)\b.*\bfail|(?:fix|mend|repair)\b.*\btests?\b|(?:the |some |my |our )?tests?\b.*\b(?:fails?|failing|broken|red)\b|what(?:'s| is) wrong with the tests?\b|which tests? fails?)/i;

/** Lines shown before and after a place. */
const around = 8;
const mostPlaces = 3;

/** "The tests fail": runs them, opens the places that the output names, and leaves the mending to others. */
export const failing: Skill = (turn) => {
  const text = bare(turn.question);
  if (!asks.test(text) || !/\btests?\b/i.test(text)) return null;
  const report = commands({ ...turn, question: "run the tests" });
  const ran = turn.steps.find(({ tool }) => tool === "bash");
  if (!report || report.calls || !ran?.failed) return report;
  const places = placesOf(ran.text.split("\n"));
  const looks = turn.steps.slice(turn.steps.indexOf(ran) + 1);
  const toRead = places.filter((place) => !looks.some((look) => isAt(look, place)));
  if (toRead.length > 0)
    return {
      say: "They fail. Opening the places that the output names.",
      calls: toRead.map((place) => call("read_file", pageAt(place))),
    };
  return {
    say: paragraphs(
      report.say ?? "",
      ...places.map((place) => excerpt(place, looks)),
      "I cannot think of the change myself. Spell it out and I make it: “replace `old` with `new` in FILE”; or set up a real model.",
    ),
  };
};

/** Where the output names no line, the files that it heads its lines with. */
function placesOf(lines: readonly string[]): string[] {
  const heads = lines.flatMap((line) => {
    const path = /^(?:FAIL\s+)?([\w@./-]+\.\w{1,4}):?$/.exec(line.trim())?.[1];
    return path ? [`${path}:1`] : [];
  });
  const own = placesIn(lines).filter((place) => !place.includes("node_modules"));
  return [...new Set(own.length > 0 ? own : heads)].slice(0, mostPlaces);
}

function pageAt(place: string): { path: string; offset: number; limit: number } {
  const [path = "", line] = place.replace(/^\.\//, "").split(":");
  return { path, offset: Math.max(1, Number(line) - around), limit: 2 * around + 1 };
}

const isAt = (look: Step, place: string): boolean => {
  const { path, offset } = pageAt(place);
  return argument(look, "path") === path && look.input["offset"] === offset;
};

function excerpt(place: string, looks: readonly Step[]): string {
  const look = looks.find((one) => isAt(one, place));
  const lines = look && !look.failed ? numberedLines(look.text) : [];
  if (lines.length === 0) return "";
  const text = lines.map((line) => `${String(line.number).padStart(5)}  ${line.text}`).join("\n");
  return `\`${place}\`\n\n${fenced(text)}`;
}
