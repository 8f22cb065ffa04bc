/** Facts about the project: what it is, where it starts, what it needs, how large it is. */

import { counted } from "../../../base/in-words.ts";
import { isData, isProse, isTest, openFile } from "../files.ts";
import type { FileStart } from "../files.ts";
import { commandFor, listDependencies, listScripts, openManifests } from "../manifests.ts";
import {
  morePaths,
  parseCounts,
  parseMatches,
  parsePaths,
  quote,
  stoppedEarly,
} from "../results.ts";
import { make, type AnswerScript, type PlannedCalls, type Skill } from "../script.ts";
import { bare, bullets, inCode, listed, paragraphs } from "../text.ts";
import { findFiles, searchText } from "../tools.ts";

const thing =
  "(?:this|the|our)(?: \\w+)? (?:project|repo|repository|code ?base|folder|directory|program|app|application|code|package|library|tool)";
const asksForOverview = new RegExp(
  `^what(?:'s| is| does| do| can)? ${thing}(?: do| about| for| contain)*$|^what(?: is|'?s| does) (?:this(?: all)?(?: about| do)?|(?:in )?here)$|^what am i looking at$|^(?:summari[sz]e|describe|explain|introduce|outline)(?: to me)? ${thing}(?: (?:to|for) me)?$|\\b(?:overview|summary|structure|layout|tour)(?: of ${thing})?$|^tell me about ${thing}$`,
  "i",
);

const fact = (form: RegExp, tell: () => AnswerScript): readonly [RegExp, () => AnswerScript] => [
  form,
  tell,
];

/** Answers to questions about the project, by their words; the first match wins. */
const facts = [
  fact(
    /\b(?:entry ?points?|main (?:function|file|program))\b|^where(?:'s| is| does)? (?:main|(?:the |this )?(?:program|app|application|code|it|everything) (?:start|begin)s?)$/i,
    entryPoints,
  ),
  fact(asksForOverview, overview),
  fact(
    /\b(?:dependenc(?:y|ies)|third[- ]party (?:packages|libraries|modules))\b|^(?:what|which) (?:packages|libraries|modules|crates|frameworks?) (?:does|do|is|are)\b|^(?:what|which) version of (?!(?:this|it|node|python|go|rust|bun)\b)/i,
    dependencies,
  ),
  fact(
    /\bhow (?:many|much) (?:lines|loc|code|source|files)\b|^how (?:big|large|long) is (?:this|the|it)\b|\blines? of code\b|^count (?:the )?(?:lines|files)|^(?:what|which) (?:programming )?languages? (?:is|are|does|was) |^what(?:'s| is) (?:this|it) written in$/i,
    size,
  ),
  fact(
    /^(?:what(?:'s| is| are)?|which(?: is| are)?|find) the (?:biggest|largest|longest) files?\b/i,
    largest,
  ),
  fact(
    /^(?:is there|does (?:it|this) have|what(?:'s| is)|which) (?:a |the )?licen[cs]e\b/i,
    function* license() {
      const files = (yield* openManifests()).names.filter((name) =>
        /^(?:licen[cs]e|copying)\b/i.test(name),
      );
      const lines = yield* manifestLines(/^\s*"?licen[cs]e"?\s*[:=]/i);
      return (
        listed("The license", [...files.map((name) => inCode(`${name}:1`)), ...lines], 8) ||
        "There is no license: no file of that name in the top folder, and none in a manifest."
      );
    },
  ),
  fact(
    /^(?:what|which) (?:version of )?(?:node|python|go|rust|bun)(?:\.?js)?(?: version)?(?: (?:do|does|is|are|should)\b|$)/i,
    function* runtime() {
      const form = /"engines"|"(?:node|bun)"\s*:|requires-python|rust-version|^go \d/;
      return (
        listed("It says", yield* manifestLines(form), 4) ||
        "No manifest names a version that it needs."
      );
    },
  ),
  fact(
    /^(?:is there|does (?:it|this) have|do we have|where is|what(?:'s| is)) (?:an? |any |the )?(?:ci|continuous integration)\b/i,
    function* ci() {
      const { text } = yield* make(
        findFiles(
          "{.github/workflows/*,.gitlab-ci.yml,.circleci/config.yml,Jenkinsfile}",
          undefined,
          "files of CI services",
        ),
      );
      return (
        listed("It is configured in", parsePaths(text).map(inCode), 8) ||
        "I found none of GitHub Actions, GitLab CI, CircleCI or Jenkins."
      );
    },
  ),
  fact(
    /^(?:does (?:it|this)(?: \w+)? have(?: any)?|are there(?: any)?|where are the|is there a) (?:unit )?tests?(?: here)?$/i,
    testFiles,
  ),
];

export const project: Skill = (request) => {
  const text = bare(request);
  if (text.split(/\s+/).length > 14) return null;
  if (/^(?:add|append|install|remove|delete|update|upgrade|write|create|move|change)\b/i.test(text))
    return null;
  return facts.find(([form]) => form.test(text))?.[1]() ?? null;
};

/** Lines of the manifests of the top folder. */
function* manifestLines(form: RegExp): PlannedCalls<string[]> {
  const { files } = yield* openManifests();
  return files.flatMap(({ lines }) => lines.filter(({ text }) => form.test(text)).map(quote));
}

/** Who wrote it, as the manifests say; empty where they do not. */
export const authors = (): PlannedCalls<string[]> =>
  manifestLines(/^\s*"?(?:authors?|maintainers?)"?\s*[:=]/i);

function* overview(): AnswerScript {
  const list = yield* make(findFiles("**/*", undefined, "all files"));
  const paths = list.failed ? [] : parsePaths(list.text);
  if (!list.failed && paths.length === 0) return "There are no files here.";
  const readmePath = paths.find((path) => /^readme(?:\.\w+)?$/i.test(path));
  const readme = readmePath === undefined ? null : yield* openFile(readmePath, 80);
  const { files } = yield* openManifests();
  return paragraphs(
    readme ? introduction(readme) : "There is no README.",
    ...files.slice(0, 2).map(manifestFacts),
    layout(paths, morePaths(list.text)),
  );
}

/** The title and the first paragraph of prose. */
function introduction({ path, lines }: FileStart): string {
  const title = lines.find(({ text }) => /^#\s/.test(text));
  const name = title?.text.replace(/^#\s*/, "") ?? path;
  return paragraphs(`**${name}** (\`${path}:${title?.line ?? 1}\`)`, firstProse(lines));
}

export function firstProse(lines: FileStart["lines"]): string {
  const isProseLine = (text: string): boolean =>
    text.trim() !== "" && !/^(?:#|!\[|\[!|\[\w+\]:|<|>|\||---|===|```)/.test(text.trim());
  const texts = lines.map(({ text }) => text);
  const from = texts.findIndex(isProseLine);
  const to = texts.findIndex((text, at) => at > from && !isProseLine(text));
  return from === -1
    ? ""
    : texts
        .slice(from, to === -1 ? undefined : to)
        .slice(0, 10)
        .join("\n");
}

function manifestFacts(file: FileStart): string {
  const form =
    /^ {0,2}"?(?:name|version|description|main|bin|edition|requires-python)"?\s*[:=](?!.*[{[]\s*$)|^module\s|^go\s\d/;
  const found = file.lines.filter(({ text }) => form.test(text));
  return paragraphs(
    listed(`From \`${file.path}\``, found.map(quote), 6),
    listed("Commands", listScripts(file).map(quote), 10),
  );
}

/** Folders with the number of their files, and the kinds of files. */
function layout(paths: readonly string[], unlisted: number): string {
  const folders = Map.groupBy(paths, (path) => path.split("/").slice(0, -1).slice(0, 2).join("/"));
  const kinds = Map.groupBy(
    paths.flatMap((path) => /\.\w+$/.exec(path)?.[0] ?? []),
    (kind) => kind,
  );
  const largest = (groups: Map<string, string[]>, most: number): [string, string[]][] =>
    [...groups].sort((a, b) => b[1].length - a[1].length).slice(0, most);
  const tree = largest(folders, 14).map(([name, files]) => `\`${name || "."}/\`: ${files.length}`);
  const types = largest(kinds, 6).map(([kind, files]) => `${files.length} ${kind}`);
  const part = unlisted > 0 ? `, ${paths.length} of them listed` : "";
  return paths.length === 0
    ? ""
    : `${counted(paths.length + unlisted, "file")}${part}: ${types.join(", ")}\n${bullets(tree.toSorted())}`;
}

const entryPattern =
  '^func main\\(|^(pub )?(async )?fn main\\(|^if __name__ ==|public static void main\\(|^(int|void) main\\(|^\\s+"(main|module|bin|start)": ?"|^#!.*\\b(node|bun|deno|python3?)\\b';
const entryFiles =
  "{,src/,app/,lib/,cmd/*/}{main,index,cli,app,server,__main__}.{ts,tsx,js,mjs,py,go,rs,rb,java,c,cpp}";

function* entryPoints(): AnswerScript {
  const search = yield* make(
    searchText(entryPattern, { about: "main functions and scripts", limit: 40 }),
  );
  const list = yield* make(findFiles(entryFiles, undefined, "files that programs start in"));
  const found = parseMatches(search.text)
    .filter(({ path }) => !isProse(path) && (!isData(path) || path === "package.json"))
    .sort((a, b) => a.path.split("/").length - b.path.split("/").length);
  const named = parsePaths(list.text)
    .filter((path) => !found.some((place) => place.path === path))
    .map((path) => `\`${path}:1\`  (by its name)`);
  const places = [...found.map(quote), ...named];
  return (
    listed("Likely entry points", places, 8) ||
    "I found no entry point: no main function, no script that starts with #!, and no file with a usual name such as main or index."
  );
}

function* testFiles(): AnswerScript {
  const { text } = yield* make(findFiles("**/*", undefined, "all files"));
  const found = parsePaths(text).filter(isTest);
  const command = commandFor("test", yield* openManifests());
  return paragraphs(
    listed(`Yes, ${counted(found.length, "file")} of tests`, found.map(inCode), 12) ||
      "I found no file that is named like a test.",
    command ? `\`${command.command}\` runs them; say “run the tests” and I will.` : "",
  );
}

function* dependencies(): AnswerScript {
  const { files } = yield* openManifests();
  const found = files.map((file) =>
    listed(`\`${file.path}\` declares`, listDependencies(file).map(quote), 40),
  );
  return (
    paragraphs(...found) ||
    "I found no dependencies: I look for package.json, pyproject.toml, requirements.txt, Cargo.toml and go.mod in the top folder."
  );
}

const sources =
  "*.{ts,tsx,mts,cts,js,jsx,mjs,cjs,py,go,rs,java,kt,c,h,cc,cpp,hpp,rb,php,cs,swift,scala,ex,exs,lua,sh,vue,svelte,zig,dart}";

const languageNames: Record<string, string> = {
  ts: "TypeScript",
  js: "JavaScript",
  py: "Python",
  rs: "Rust",
  go: "Go",
};

const countSources = () =>
  make(searchText("\\S", { about: "lines of code", glob: sources, count: true, limit: 500 }));

/** Counted by the search tool: lines of source files that are not blank. */
function* size(): AnswerScript {
  const { text } = yield* countSources();
  const files = parseCounts(text);
  if (files.length === 0) return "I found no source files here.";
  const sum = (list: typeof files): number => list.reduce((lines, group) => lines + group.count, 0);
  const all = `${counted(sum(files), "line")} of code in ${counted(files.length, "file")}, without blank lines`;
  if (stoppedEarly(text)) return `At least ${all}: there are more files than one search lists.`;
  const kinds = [...Map.groupBy(files, ({ path }) => path.split(".").at(-1) ?? "")]
    .map(([kind, list]) => ({ kind, files: list.length, lines: sum(list) }))
    .sort((a, b) => b.lines - a.lines)
    .map(({ kind, lines, files: number }) => {
      const name = languageNames[kind];
      return `${name === undefined ? "" : `${name}, `}.${kind}: ${counted(lines, "line")} in ${counted(number, "file")}`;
    });
  return `${all}:\n${bullets(kinds)}`;
}

function* largest(): AnswerScript {
  const files = parseCounts((yield* countSources()).text).toSorted((a, b) => b.count - a.count);
  const lines = files
    .slice(0, 5)
    .map(({ path, count }) => `\`${path}\`: ${counted(count, "line")}`);
  return (
    listed("The largest source files, without blank lines", lines, 5) ||
    "I found no source files here."
  );
}
