import { counted } from "../../../base/in-words.ts";
import type { OfflineConversation } from "../conversation.ts";
import { isTest, openExisting, testsLast, topFiles } from "../files.ts";
import { commandFor, listDependencies, manifestNames } from "../manifests.ts";
import { parseCounts, parseMatches, parsePaths, quote, stoppedEarly } from "../results.ts";
import { make, type AnswerScript, type Skill } from "../script.ts";
import { bare, bullets, inCode, listed, paragraphs } from "../text.ts";
import { findFiles, searchText } from "../tools.ts";

const asksForDependencies =
  /\b(?:dependenc(?:y|ies)|third[- ]party (?:packages|libraries|modules))\b|^(?:what|which) (?:packages|libraries|modules|frameworks?) (?:does|do|is|are)\b/i;
const asksForSize =
  /\bhow (?:many|much) (?:lines|loc|code|source|files)\b|^how (?:big|large|long) is (?:this|the|it)\b|\blines? of code\b|^count (?:the )?(?:lines|files)/i;
const namesTodos = /^(?:todos?|to-dos?|fixmes?)$/;
/**
 * A question about todos that uses only these other words is about TODO comments. "Where are todos
 * saved" is about the program.
 */
const wordsOfTodos = new Set(
  (
    "a all any anywhere are can code codebase comment comments do does exist files find for grep have here how in " +
    "is it left list many me my of open or and our please project remaining repo repository search " +
    "see show source still tell the there these this to we what where which with you"
  ).split(" "),
);
const isPath = /[./]\w/;

function asksForTodos(text: string): boolean {
  const words = text.toLowerCase().match(/[\w./-]*\w/g) ?? [];
  const others = words.filter((word) => !namesTodos.test(word));
  return (
    others.length < words.length &&
    others.every((word) => wordsOfTodos.has(word) || isPath.test(word))
  );
}

/** Dependencies, size and TODO comments of the project. */
export const facts: Skill = (request, conversation) => {
  const text = bare(request);
  if (text.split(/\s+/).length > 14) return null;
  if (/^(?:add|install|remove|update|upgrade)\b/i.test(text)) return null;
  if (asksForDependencies.test(text)) return dependencies(conversation);
  if (asksForSize.test(text)) return size();
  if (asksForLicense.test(text)) return license(conversation);
  if (asksForLanguage.test(text)) return languages();
  if (asksForTestFiles.test(text)) return testFiles(conversation);
  return asksForTodos(text) || asksWhatToDo.test(text) ? todos() : null;
};

const asksForLicense =
  /^(?:is there|does (?:it|this) have|what(?:'s| is)|which) (?:a |the )?licen[cs]e\b/i;
const asksForLanguage =
  /^(?:what|which) (?:programming )?languages? (?:is|are|does|was) |^what(?:'s| is) (?:this|it) written in$/i;
const asksForTestFiles =
  /^(?:does (?:it|this)(?: \w+)? have(?: any)?|are there(?: any)?|where are the|is there a) (?:unit )?tests?(?: here)?$/i;
const asksWhatToDo =
  /^what (?:should|can|could) (?:i|we) (?:work on|do|fix|improve)(?: next| here| first)?$|^what(?:'s| is) (?:left|next)(?: to do)?$/i;

function* license(conversation: OfflineConversation): AnswerScript {
  const top = yield* topFiles();
  const files = top.filter((name) => /^(?:licen[cs]e|copying)\b/i.test(name));
  const manifests = yield* openExisting(manifestNames, top, conversation);
  const lines = manifests
    .flatMap((file) => file.lines)
    .filter(({ text }) => /^\s*"?licen[cs]e"?\s*[:=]/i.test(text));
  const found = [...files.map((name) => inCode(`${name}:1`)), ...lines.map(quote)];
  return found.length > 0
    ? listed("The license", found, 8)
    : "There is no license: no file of that name in the top folder, and none in a manifest.";
}

const languageNames: Record<string, string> = {
  ts: "TypeScript",
  tsx: "TypeScript",
  js: "JavaScript",
  jsx: "JavaScript",
  mjs: "JavaScript",
  py: "Python",
  go: "Go",
  rs: "Rust",
  rb: "Ruby",
  kt: "Kotlin",
  cs: "C#",
  cpp: "C++",
  cc: "C++",
  hpp: "C++",
  sh: "shell",
  ex: "Elixir",
  exs: "Elixir",
};

function* languages(): AnswerScript {
  const { text } = yield* make(searchText("\\S", { glob: sources, count: true, limit: 120 }));
  const named = Map.groupBy(parseCounts(text), ({ path }) => {
    const kind = path.split(".").at(-1) ?? "";
    return languageNames[kind] ?? kind.charAt(0).toUpperCase() + kind.slice(1);
  });
  const lines = [...named]
    .toSorted((a, b) => b[1].length - a[1].length)
    .map(
      ([name, files]) =>
        `${name}: ${counted(files.length, "file")}, such as ${inCode(files[0]?.path ?? "")}`,
    );
  return lines.length > 0 ? bullets(lines) : "I found no source files here.";
}

function* testFiles(conversation: OfflineConversation): AnswerScript {
  const { text } = yield* make(findFiles("**/*"));
  const found = parsePaths(text).filter(isTest);
  const top = yield* topFiles();
  const command = commandFor("test", yield* openExisting(manifestNames, top, conversation), top);
  return paragraphs(
    found.length > 0
      ? listed(`Yes, ${counted(found.length, "file")} of tests`, found.map(inCode), 12)
      : "I found no file that is named like a test.",
    command ? `\`${command.command}\` runs them; say “run the tests” and I will.` : "",
  );
}

function* dependencies(conversation: OfflineConversation): AnswerScript {
  const files = yield* openExisting(manifestNames, yield* topFiles(), conversation);
  const found = paragraphs(
    ...files.map((file) =>
      listed(`\`${file.path}\` declares`, listDependencies(file).map(quote), 40),
    ),
  );
  if (found !== "") return found;
  return files.length === 0
    ? "The top folder has no file that declares dependencies and that I recognize, such as package.json, pyproject.toml or go.mod."
    : `I found no dependencies in ${files.map(({ path }) => inCode(path)).join(", ")}.`;
}

const sources =
  "*.{ts,tsx,mts,cts,js,jsx,mjs,cjs,py,go,rs,java,kt,c,h,cc,cpp,hpp,rb,php,cs,swift,scala,ex,exs,lua,sh,vue,svelte,zig,dart}";

/** Counted by the search tool: lines of source files that are not blank. */
function* size(): AnswerScript {
  const { text, failed } = yield* make(
    searchText("\\S", { glob: sources, count: true, limit: 500 }),
  );
  const files = parseCounts(text);
  if (failed || files.length === 0) return "I found no source files here.";
  const sum = (list: typeof files): number => list.reduce((lines, group) => lines + group.count, 0);
  const all = `${counted(sum(files), "line")} of code in ${counted(files.length, "file")}, without blank lines`;
  if (stoppedEarly(text)) return `At least ${all}: there are more files than one search lists.`;
  const kinds = [...Map.groupBy(files, ({ path }) => path.split(".").at(-1) ?? "")]
    .map(([kind, list]) => ({ kind, files: list.length, lines: sum(list) }))
    .sort((a, b) => b.lines - a.lines)
    .map(
      (group) =>
        `.${group.kind}: ${counted(group.lines, "line")} in ${counted(group.files, "file")}`,
    );
  return `${all}:\n${bullets(kinds)}`;
}

function* todos(): AnswerScript {
  const { text } = yield* make(searchText("\\b(TODO|FIXME|XXX|HACK)\\b"));
  const found = testsLast(parseMatches(text));
  const all = `${stoppedEarly(text) ? "More than " : ""}${counted(found.length, "line")}`;
  return (
    listed(`${all} with TODO, FIXME, XXX or HACK`, found.map(quote), 20) ||
    "No: no file contains TODO, FIXME, XXX or HACK."
  );
}
