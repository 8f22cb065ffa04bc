/**
 * The five things that the offline model can do. A script is replayed from its beginning for every
 * call of the model, so it must depend on nothing but the conversation.
 */

import { clipLine } from "../../base/clip.ts";
import { counted } from "../../base/format.ts";
import type { ToolInput } from "../../protocol/block.ts";
import {
  findFiles,
  listFiles,
  make,
  pageLines,
  parseMatches,
  parsePaths,
  quote,
  readLines,
  searchText,
  type AnswerScript,
  type MatchedLine,
  type PlannedCalls,
} from "./calls.ts";
import type { CallStep } from "./conversation.ts";

/** Null if the request is about something else. */
type Skill = (request: string) => AnswerScript | null;

/** The script of the first skill that takes the request. */
export function findSkill(request: string): AnswerScript | null {
  for (const skill of [edit, run, project, read, where]) {
    const script = skill(request);
    if (script) return script;
  }
  return null;
}

/** A request without "please", "can you" and its last mark. */
const bare = (request: string): string =>
  request
    .trim()
    .replace(/[\s?!.]{1,20}$/, "")
    .replace(/^(?:(?:please|can you|could you|show me|tell me),?\s+)+/i, "");

const quotes = ['"([^]+?)"', "“([^]+?)”", "'([^]+?)'", "`([^]+?)`"].join("|");
const edits = new RegExp(
  `^(?:please )?(?:replace|change) (all )?(?:${quotes}) (?:with|by|to) (?:${quotes.replaceAll("+?", "*?")}) in [\`"']?([\\w@./~+-]*\\w)[\`"']?[.!]?$`,
  "i",
);

/** `Replace "a" with "b" in FILE`. */
const edit: Skill = (request) => {
  const [, all, ...texts] = edits.exec(request.trim()) ?? [];
  const old_string = texts.slice(0, 4).find((text) => text !== undefined);
  const new_string = texts.slice(4, 8).find((text) => text !== undefined);
  const file_path = texts[8];
  if (old_string === undefined || new_string === undefined || file_path === undefined) return null;
  const change = { file_path, old_string, new_string };
  return replace(all === undefined ? change : { ...change, replace_all: true }, change);
};

function* replace(
  input: ToolInput,
  { file_path: path, old_string, new_string }: Record<string, string>,
): AnswerScript {
  const seen = yield* readLines(path ?? "", 1, 1);
  if (seen.failed) return `I can't read \`${path}\`: ${clipLine(seen.text, 300)}`;
  const { text, failed, cleared } = yield* make("Edit", input);
  if (!failed) return cleared ? `\`${path}\` was changed.` : `Done: ${clipLine(text, 400)}`;
  const times = /occurs (\d+) times/.exec(text)?.[1];
  return times === undefined
    ? `\`${path}\` was not changed: ${clipLine(text, 400)}`
    : `\`${path}\` was not changed: “${old_string}” occurs ${times} times. Quote more of the text around it, or say: replace all "${old_string}" with "${new_string}" in ${path}`;
}

const quotedCommand = /^(?:please\s+)?run\b[^`]*`([^`]+)`\W*$/is;
const bareCommand =
  /^(?:run\s+|\$\s+)([a-z][\w.-]*(?:\s[^\n]*)?)$|^(git (?:status|log|diff)\b.*|ls -.*)$/;
const tests =
  /^(?:run|do)\s+(?:all\s+)?(?:the\s+|our\s+|my\s+)?(?:unit )?tests?(?: pass)?$|^test it$/i;
const notACommand = /^(?:the|a|an|my|this|that|it|all|every)\b/i;

/** "Run the tests", "run `COMMAND`". */
const run: Skill = (request) => {
  const quoted = quotedCommand.exec(request.trim())?.[1];
  if (quoted) return runAndReport(quoted.trim());
  const text = bare(request);
  if (tests.test(text)) return runTests();
  const [, ran, plain] = bareCommand.exec(text) ?? [];
  const command = ran ?? plain;
  return command === undefined || notACommand.test(command) ? null : runAndReport(command);
};

function* runTests(): AnswerScript {
  const command = yield* findTests();
  return command === null
    ? "I found no command for the tests: no script or target `test`, and no project file that I know. Say “run `COMMAND`”."
    : yield* runAndReport(command, { timeout: 600_000 });
}

/** The usual commands, by the file that tells the kind of project. */
const usual: readonly (readonly [file: string, command: string])[] = [
  ["Cargo.toml", "cargo test"],
  ["go.mod", "go test ./..."],
  ["pyproject.toml", "python3 -m pytest -q"],
  ["requirements.txt", "python3 -m pytest -q"],
];

function* findTests(): PlannedCalls<string | null> {
  // A pattern with a slash does not search the folders below.
  const { paths: names } = yield* listFiles("{*,/}", "files in the top folder");
  const holds = function* (name: string, form: RegExp): PlannedCalls<boolean> {
    return names.includes(name) && form.test((yield* readLines(name)).text);
  };
  if (yield* holds("package.json", /"test"\s*:(?!.*no test specified)/)) {
    if (names.some((name) => name.startsWith("bun.lock"))) return "bun run test";
    if (names.includes("pnpm-lock.yaml")) return "pnpm run test";
    return names.includes("yarn.lock") ? "yarn run test" : "npm run test";
  }
  if (yield* holds("Makefile", /\ttest\s*:/)) return "make test";
  return usual.find(([file]) => names.includes(file))?.[1] ?? null;
}

const ending =
  /^\[(exit code \d+|killed by \w+|timed out[^\]]*|interrupted[^\]]*|stopped|ended because[^\]]*)\]$/m;

function* runAndReport(command: string, options: ToolInput = {}): AnswerScript {
  return reportOn(command, yield* make("Bash", { command, ...options }));
}

/** How the command ended, with both ends of its output. */
function reportOn(command: string, { text, failed, cleared }: CallStep): string {
  const ran = inCode(command);
  if (cleared) return `${ran} ran, but its output was removed from the context to make room.`;
  if (text.startsWith("Running in the background")) return clipLine(text, 400);
  const how = ending.exec(text)?.[1];
  if (failed && how === undefined) return `${ran} did not run: ${clipLine(text, 400)}`;
  const lines = text.split("\n").filter((line) => line.trim() !== "" && line !== `[${how}]`);
  const shown = lines.length <= 20 ? lines : [...lines.slice(0, 9), "…", ...lines.slice(-9)];
  return paragraphs(
    `${ran} ${failed ? `failed: ${how}` : "succeeded (exit code 0)"}.`,
    lines.length === 0 || text === "(no output)"
      ? "It printed nothing."
      : fenced(shown.map((line) => line.slice(0, 300)).join("\n")),
  );
}

const thing =
  "(?:this|the|our)(?: (?:project|repo|repository|code ?base|folder|program|app|code))?";
const asksAbout = new RegExp(
  `^(?:what(?:'s| is| does)|explain|describe|summari[sz]e)(?: in)? ${thing}(?: do| about)?$|^what(?:'s| is) (?:in )?here$`,
  "i",
);

/** "What is this project?" */
const project: Skill = (request) => (asksAbout.test(bare(request)) ? overview() : null);

const manifests = ["package.json", "Cargo.toml", "go.mod", "pyproject.toml"];
const fact = /^ {0,2}"?(?:name|version|description|main|bin)"?\s*[:=](?!.*[{[]\s*$)|^module\s/;

/** Answers from the README, the manifest and the largest folders. */
function* overview(): AnswerScript {
  const { paths, total } = yield* listFiles("**/*", "all files");
  if (paths.length === 0) return "There are no files here.";
  const readme = paths.find((path) => /^readme(?:\.\w+)?$/i.test(path));
  const about = readme === undefined ? [] : yield* start(readme);
  const manifest = manifests.find((name) => paths.includes(name)) ?? "";
  const facts = manifest === "" ? [] : yield* start(manifest);
  const folders = Map.groupBy(paths, (path) => path.split("/").slice(0, -1).slice(0, 2).join("/"));
  const largest = [...folders].sort((a, b) => b[1].length - a[1].length);
  return paragraphs(
    readme === undefined ? "There is no README." : introduction(readme, about),
    listed(`From \`${manifest}\``, facts.filter(({ text }) => fact.test(text)).map(quote), 6),
    listed(
      counted(total, "file"),
      largest.map(([name, files]) => `${inCode(`${name || "."}/`)}: ${files.length}`),
      12,
    ),
  );
}

/** The first lines of a file; none if it cannot be read. */
function* start(path: string): PlannedCalls<MatchedLine[]> {
  const { text, failed } = yield* readLines(path, 1, 80);
  return failed ? [] : pageLines(path, text);
}

/** The title and the first paragraph of prose. */
function introduction(path: string, lines: readonly MatchedLine[]): string {
  const title = lines.find(({ text }) => /^#\s/.test(text));
  const name = title?.text.replace(/^#\s*/, "") ?? path;
  const isProse = ({ text }: MatchedLine): boolean => /^[\w*_"'`]/.test(text.trim());
  const prose = lines.slice(Math.max(0, lines.findIndex(isProse)));
  const end = prose.findIndex((line) => !isProse(line));
  return paragraphs(
    `**${name}** (\`${path}:${title?.line ?? 1}\`)`,
    prose
      .slice(0, Math.min(10, end === -1 ? 10 : end))
      .map(({ text }) => text)
      .join("\n"),
  );
}

const path = "[\"'`“]?((?:~|\\.{1,2})?[\\w@./+-]*\\w)[\"'`”]?";
const someLines = new RegExp(
  `^(?:read|show|cat|lines?)\\s+(?:lines?\\s+)?(\\d+)(?:\\s*(?:-|–|to)\\s*(\\d+))?\\s+(?:of|in|from)\\s+${path}$`,
  "i",
);
const oneFile = new RegExp(
  `^(?:read|show|cat|open|explain)\\s+(?:the\\s+)?(?:file\\s+)?${path}$`,
  "i",
);
const folder =
  /^(?:list|ls)(?:\s+(?:all\s+)?(?:the\s+)?files)?(?:\s+in\s+(?:the\s+)?([\w@./-]+?))?\/?$/i;
const maxLines = 40;

/** "Read FILE", "show lines 3-9 of FILE", "list the files in FOLDER". */
const read: Skill = (request) => {
  const text = bare(request);
  const inFolder = folder.exec(text);
  if (inFolder) return listFolder(inFolder[1]);
  const [, from, to = from, file] = someLines.exec(text) ?? [];
  if (file !== undefined) {
    const count = Number(to) - Number(from) + 1;
    return showLines(file, Number(from), Math.min(Math.max(1, count), 200));
  }
  const name = oneFile.exec(text)?.[1];
  return name === undefined ? null : showLines(name, 1, maxLines);
};

function* showLines(name: string, offset: number, limit: number): AnswerScript {
  let file = name;
  let page = yield* readLines(file, offset, limit);
  if (page.failed && !/^(?:\.\.|[/~])/.test(name)) {
    const { paths: found } = yield* listFiles(`**/${name}`, `files called ${name}`);
    if (found.length > 1) return listed("Several files have this name", found.map(inCode), 20);
    file = found[0] ?? name;
    if (file !== name) page = yield* readLines(file, offset, limit);
  }
  if (page.failed) return `I can't read \`${file}\`: ${clipLine(page.text, 300)}`;
  const lines = pageLines(file, page.text);
  if (lines.length === 0) return `\`${file}\`: ${clipLine(page.text, 300)}`;
  const [, last, total] = /^\[Lines \d+-(\d+)(?: of (\d+))?/m.exec(page.text.slice(-300)) ?? [];
  const next = Number(last) + 1;
  return paragraphs(
    `\`${file}:${offset}\``,
    fenced(numbered(lines), file),
    last === undefined
      ? ""
      : `${total ? counted(Number(total) - Number(last), "more line") : "More"}: “show lines ${next}-${next + 159} of ${file}”`,
  );
}

function* listFolder(folder?: string): AnswerScript {
  const pattern = folder === undefined ? "**/*" : `${folder}/**/*`;
  const { paths, total } = yield* listFiles(pattern, folder ?? "all files");
  const where = folder === undefined ? "here" : `in \`${folder}/\``;
  const title = `${counted(total, "file")} ${where}`;
  return listed(title, paths.map(inCode), 60) || `There are no files ${where}.`;
}

const asksWhere =
  /^(?:where(?:'s| is| are| does| do)?|find|search for|grep|who (?:calls|uses)|which file)\s+(.+)$/i;

/** "Where is X?" */
const where: Skill = (request) => {
  const words = extractWords(asksWhere.exec(bare(request))?.[1] ?? "");
  return words.length === 0 ? null : findPlaces(words);
};

/** Words that name nothing in the code. */
const fillers = new Set(
  `a an and are as at be by called class code declared defined do does file for from function get have in is
  it its located me method my of on or our project the their this that to type used we what with you`.split(
    /\s+/,
  ),
);

/** Quoted text is one word. */
function extractWords(question: string): string[] {
  const quoted = /["“`']([^"”`']{2,})["”`']/.exec(question)?.[1];
  if (quoted !== undefined) return [quoted];
  const words = question.match(/[\w$.-]*[\w$]/g) ?? [];
  return [...new Set(words)].filter((word) => !fillers.has(word.toLowerCase())).slice(0, 4);
}

/** The part of a word that its other forms share: "written" and "writer" are "writ", "drawn" is "draw". */
const stemOf = (word: string): string =>
  /^[a-z]+$/.test(word) ? word.replace(/(?<=\w{3})(?:t?ten|(?<=w)n|ing|ed|er|e|s)$/, "") : word;

const declaring =
  "\\b(?:function\\*?|class|interface|type|enum|const|let|var|def|fn|func|struct|trait|mod)\\s+";
const declares = new RegExp(declaring);
const imports = /^\s*(?:import|export\b.*\bfrom|from|use|require|#include)\b|\bimport\(/;

/** The best match for the words, with an excerpt, and other places. */
function* findPlaces(words: readonly string[]): AnswerScript {
  const stems = words.map(stemOf);
  const parts = stems.map(RegExp.escape);
  const anyStem = parts.join("|");
  // Lines with one of several words alone are too many to say anything.
  const pairs = parts.flatMap((one, at) => parts.toSpliced(at, 1).map((two) => `${one}.*${two}`));
  const about = words.join(", ");
  const globs = stems.map((stem) => `**/*${stem.replace(/[^\w-]/g, "?")}*`);
  const steps = yield [
    searchText(pairs.length > 0 ? pairs.join("|") : anyStem, about),
    searchText(`${declaring}[\\w$]*(${anyStem})`, `declarations of ${about}`),
    findFiles(`{${globs.join(",")},/}`, `files named after ${about}`),
  ];
  const found = steps.flatMap(({ failed, tool, text }) => {
    if (failed) return [];
    if (tool === "Grep") return parseMatches(text).filter((match) => !imports.test(match.text));
    return parsePaths(text).map((path) => ({ path, line: 1, text: "" }));
  });
  const [best, ...others] = rank(found, stems);
  if (!best)
    return `I found nothing for “${words.join(" ")}”: I searched the text and the names of all files that .gitignore does not exclude. Try another word for it.`;
  const page = yield* readLines(best.path, Math.max(1, best.line - 2), 12);
  return paragraphs(
    `**\`${best.path}:${best.line}\`** is the best match for “${words.join(" ")}”.`,
    page.failed ? "" : fenced(numbered(pageLines(best.path, page.text)), best.path),
    listed("Other places", others.map(quote), 5),
  );
}

/** Prose, data and tests rank behind source. */
const aside =
  /\.(?:md|mdx|txt|rst|json|jsonl|lock|ya?ml|toml|csv|svg|xml)$|(?:^|\/)(?:tests?|specs?)\/|[._]test\./i;

/** The best line of each file, best first, by the words that the line and its path contain. Rare words count more. */
function rank(found: readonly MatchedLine[], stems: readonly string[]): MatchedLine[] {
  const weighed = stems.map((stem) => {
    const word = `\\b${RegExp.escape(stem)}`;
    const begins = new RegExp(word, "i");
    // In the middle of a name such as `toStem`.
    const inName = stem.charAt(0).toUpperCase() + stem.slice(1);
    const holds = (place: string) => begins.test(place) || place.includes(inName);
    const lines = found.filter(({ text }) => holds(text)).length;
    return { holds, exact: new RegExp(`${word}\\b`, "i"), weight: 6 / Math.log2(4 + lines) };
  });
  const next = stems
    .slice(1)
    .map((stem, at) => `${RegExp.escape(stems[at] ?? "")}\\w*\\W+${RegExp.escape(stem)}`);
  const isPhrase = ({ text }: MatchedLine): boolean =>
    next.some((pair) => new RegExp(pair, "i").test(text));
  const score = (match: MatchedLine): number => {
    const { path, text } = match;
    const words = weighed.map(({ holds, exact, weight }) => {
      const places = 2 * Number(holds(text)) + 1.5 * Number(holds(path));
      return weight * (places + 2 * Number(exact.test(text)));
    });
    const depth = path.split("/").length;
    return (
      words.reduce((sum, word) => sum + word, declares.test(text) ? 2 : 0) +
      (isPhrase(match) ? 0.5 : 0) -
      (aside.test(path) ? 3 : 0) -
      depth * 0.1
    );
  };
  const best = new Map<string, MatchedLine>();
  const scored = found.map((match) => ({ match, score: score(match) }));
  for (const { match } of scored.sort((a, b) => b.score - a.score))
    if (!best.has(match.path)) best.set(match.path, match);
  return [...best.values()];
}

/** Lines of a file with their numbers, one below the other. */
function numbered(lines: readonly MatchedLine[]): string {
  const width = `${lines.at(-1)?.line ?? 0}`.length;
  return lines.map(({ line, text }) => `${`${line}`.padStart(width)}  ${text}`).join("\n");
}

/** A code block in the language of `path`; its fence is longer than any fence in the text. */
function fenced(text: string, path = ""): string {
  const longest = Math.max(2, ...(text.match(/`{3,}/g) ?? []).map(({ length }) => length));
  const fence = "`".repeat(longest + 1);
  const [language = ""] = /(?<=\.)\w+$/.exec(path) ?? [];
  return `${fence}${language}\n${text}\n${fence}`;
}

const inCode = (text: string): string => `\`${text}\``;

/** The first `most` lines as bullets below a title, and how many more there are; empty without lines. */
function listed(title: string, lines: readonly string[], most: number): string {
  if (lines.length === 0) return "";
  const more = lines.length > most ? `\n\n${(lines.length - most).toLocaleString("en")} more.` : "";
  const bullets = lines.slice(0, most).map((line) => `- ${line}`);
  return `${title}:\n${bullets.join("\n")}${more}`;
}

/** Joined by empty lines; empty parts are dropped. */
const paragraphs = (...parts: readonly string[]): string =>
  parts.filter((part) => part !== "").join("\n\n");
