import { rank, wishOf, type Candidate, type Match } from "../rank.ts";
import { call, type Move, type Skill } from "../skill.ts";
import { argument, matchesIn, numberedLines, pathsIn, type Turn } from "../turn.ts";
import { escape, keywordsOf, phrasePattern, type Keyword } from "../words.ts";

const asks =
  /\b(where|find|locate|search for|look for|which file|who (calls|uses)|what (calls|uses)|usages? of|references? to|how (is|are|does|do))\b/i;

/**
 * "Where is X": searches for the name as a phrase, for its words, and for files called so; ranks
 * what it finds, reads the best place, and names it as `file:line` with the others behind it.
 */
export const where: Skill = (turn) => {
  if (!asks.test(turn.question)) return null;
  const keywords = keywordsOf(turn.question);
  const nouns = keywords.filter(({ verb }) => !verb);
  const wanted = nouns.length > 0 ? nouns : keywords;
  if (wanted.length === 0) return null;
  if (turn.steps.length === 0)
    return {
      say: `Searching for ${wanted.map(({ word }) => `“${word}”`).join(" ")}.`,
      calls: searches(wanted),
    };
  const candidates = candidatesIn(turn, keywords, wanted);
  const reads = turn.steps.filter(({ tool }) => tool === "read_file");
  if (reads.length === 0 && candidates.length > 0) return { calls: readBest(candidates) };
  return { say: answer(turn, candidates, wanted) };
};

function searches(wanted: readonly Keyword[]): NonNullable<Move["calls"]> {
  const phrase = phrasePattern(wanted);
  const any = wanted.map(({ forms }) => forms.map(escape).join("|")).join("|");
  const names = wanted.flatMap(({ forms }) => forms).slice(0, 3);
  return [
    call("grep", { pattern: phrase, ignore_case: true, limit: 80 }),
    ...(wanted.length > 1
      ? [
          call("grep", {
            pattern: `(function|class|const|interface|type|def|fn|func|struct)\\s+\\w*(${any})`,
            ignore_case: true,
            limit: 120,
          }),
        ]
      : []),
    ...names.map((name) => call("glob", { pattern: `**/*${name.toLowerCase()}*` })),
  ];
}

function candidatesIn(
  turn: Turn,
  keywords: readonly Keyword[],
  wanted: readonly Keyword[],
): Candidate[] {
  const matches: Match[] = [];
  for (const step of turn.steps) {
    if (step.failed) continue;
    if (step.tool === "grep") matches.push(...matchesIn(step.text));
    if (step.tool === "glob")
      matches.push(...pathsIn(step.text).map((path) => ({ path, line: 1, text: "" })));
  }
  const ranked = rank(matches, keywords, wishOf(turn.question));
  const floor = (ranked[0]?.score ?? 0) - 8;
  return ranked.filter(
    ({ score, path, text }) =>
      score >= floor &&
      wanted.some(({ forms }) =>
        forms.some((form) => `${path} ${text}`.toLowerCase().includes(form.toLowerCase())),
      ),
  );
}

function readBest(candidates: readonly Candidate[]): NonNullable<Move["calls"]> {
  return candidates
    .slice(0, 2)
    .map(({ path, line }) =>
      call("read_file", { path, offset: Math.max(1, line - 12), limit: 60 }),
    );
}

function answer(turn: Turn, candidates: readonly Candidate[], wanted: readonly Keyword[]): string {
  const best = candidates[0];
  const name = wanted.map(({ word }) => word).join(" ");
  if (!best) {
    return `I found nothing for “${name}” in this folder. I searched the text and the names of all files that .gitignore does not leave out. Try another word for it.`;
  }
  const place = sharpen(turn, best, wanted);
  const others = candidates
    .slice(1, 6)
    .map(
      ({ path, line, text }) =>
        `- \`${path}:${line}\`${text.trim() === "" ? "" : `  ${clip(text.trim())}`}`,
    );
  return [
    `**\`${place.path}:${place.line}\`** is the best match for “${name}”.`,
    place.excerpt === "" ? "" : `\`\`\`\n${place.excerpt}\n\`\`\``,
    others.length === 0 ? "" : `Other places:\n${others.join("\n")}`,
  ]
    .filter((part) => part !== "")
    .join("\n\n");
}

/** In the file that was read, the line that defines the thing, where a file's name alone had matched. */
function sharpen(
  turn: Turn,
  best: Candidate,
  wanted: readonly Keyword[],
): { path: string; line: number; excerpt: string } {
  const read = turn.steps.find(
    (step) => step.tool === "read_file" && argument(step, "path") === best.path,
  );
  const lines = read ? numberedLines(read.text) : [];
  let line = best.line;
  if (best.text === "") {
    const names = wanted.flatMap(({ forms }) => forms.map((form) => form.toLowerCase()));
    const found = lines.find(
      ({ text }) =>
        /\b(function|class|const|def|fn|func|struct)\b/.test(text) &&
        names.some((form) => text.toLowerCase().includes(form)),
    );
    line = found?.number ?? line;
  }
  const at = lines.findIndex(({ number }) => number === line);
  const excerpt =
    at === -1
      ? ""
      : lines
          .slice(Math.max(0, at - 2), at + 6)
          .map(({ number, text }) => `${number}  ${text}`)
          .join("\n");
  return { path: best.path, line, excerpt };
}

const clip = (text: string): string => (text.length > 90 ? `${text.slice(0, 89)}…` : text);
