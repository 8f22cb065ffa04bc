import { counted } from "../../../base/in-words.ts";
import type { Conversation } from "../conversation.ts";
import { openExisting, testsLast, topFiles } from "../files.ts";
import { dependenciesIn, manifestNames } from "../manifests.ts";
import { countsIn, matchesIn, quote, searchTotals } from "../results.ts";
import { make, type Script, type Skill } from "../script.ts";
import { bare, bullets, inCode, listed, paragraphs } from "../text.ts";
import { searchText } from "../tools.ts";

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
  if (asksForDependencies.test(text)) return dependencies(conversation);
  if (asksForSize.test(text)) return size();
  return asksForTodos(text) ? todos() : null;
};

function* dependencies(conversation: Conversation): Script {
  const files = yield* openExisting(manifestNames, yield* topFiles(), conversation);
  const found = paragraphs(
    ...files.map((file) =>
      listed(`\`${file.path}\` declares`, dependenciesIn(file).map(quote), 40),
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
function* size(): Script {
  const { text, failed } = yield* make(
    searchText("\\S", { glob: sources, count: true, limit: 120 }),
  );
  const files = countsIn(text);
  if (failed || files.length === 0) return "I found no source files here.";
  const totals = searchTotals(text);
  const sum = (list: typeof files): number => list.reduce((lines, one) => lines + one.count, 0);
  const all = `${counted(totals?.lines ?? sum(files), "line")} of code in ${counted(totals?.files ?? files.length, "file")}, without blank lines`;
  if (totals) return `${all}.`;
  const kinds = [...Map.groupBy(files, ({ path }) => path.split(".").at(-1) ?? "")]
    .map(([kind, list]) => ({ kind, files: list.length, lines: sum(list) }))
    .sort((a, b) => b.lines - a.lines)
    .map((one) => `.${one.kind}: ${counted(one.lines, "line")} in ${counted(one.files, "file")}`);
  return `${all}:\n${bullets(kinds)}`;
}

function* todos(): Script {
  const { text } = yield* make(searchText("\\b(TODO|FIXME|XXX|HACK)\\b"));
  const found = testsLast(matchesIn(text));
  const all = counted(searchTotals(text)?.lines ?? found.length, "line");
  return (
    listed(`${all} with TODO, FIXME, XXX or HACK`, found.map(quote), 20) ||
    "No: no file contains TODO, FIXME, XXX or HACK."
  );
}
