/** Lists of one kind of thing, found by the form of their lines: routes, variables, flags, tests, todos. */

import { counted } from "../../../base/in-words.ts";
import { isProse, isTest, testsLast } from "../files.ts";
import { parseMatches, quote, stoppedEarly } from "../results.ts";
import { make, type AnswerScript, type Skill } from "../script.ts";
import { bare, listed } from "../text.ts";
import { searchText } from "../tools.ts";

type Kind = {
  /** In the plural, as the answer names it. */
  name: string;
  /** How people ask for it, in the singular. */
  words: string;
  /** Matches the lines that declare one. */
  pattern: string;
  glob?: string;
  where?: "tests" | "program";
};

const kinds: readonly Kind[] = [
  {
    name: "tests",
    words: "(?:unit )?test(?: case)?",
    pattern:
      "^\\s*(async )?def test_\\w+|^func (Test|Benchmark|Fuzz)\\w+\\(|^\\s*(test|it)(\\.\\w+)*\\(|^\\s*#\\[(\\w+::)?test\\]|^\\s*@Test\\b",
    where: "tests",
  },
  {
    name: "environment variables",
    words: "(?:env(?:ironment)? )(?:variable|var)",
    pattern:
      "\\benviron\\b|\\b[gG]etenv\\(|\\bLookupEnv\\(|process\\.env|import\\.meta\\.env|Bun\\.env|env::var",
    where: "program",
  },
  {
    name: "routes",
    words: "(?:api |http )?(?:endpoint|route|url)",
    pattern:
      "\\.(get|post|put|patch|delete|all|use|route|Get|Post|Put|Patch|Delete|GET|POST|PUT|PATCH|DELETE|Handle|HandleFunc|HandlerFunc)\\(\\s*[\"'`](\\w+ )?/|^\\s*path\\(",
    where: "program",
  },
  {
    name: "commands",
    words: "(?:sub|cli )?-?command",
    pattern: "@\\w+\\.command\\(|\\.add_parser\\(|\\.command\\([\"'`]|cobra\\.Command\\{",
    where: "program",
  },
  {
    name: "flags",
    words: "(?:cli |command[- ]line )?(?:flag|option|argument|switch)(?:e(?=s))?",
    pattern:
      '\\btype: "(boolean|string)"|add_argument\\(|\\.option\\(|\\.argument\\(|\\bflag\\.\\w+\\(|#\\[arg',
    where: "program",
  },
  {
    name: "components",
    words: "(?:react |vue |svelte |ui )?component",
    pattern:
      "^export (default )?(function|const) [A-Z]\\w*|^(export )?(default )?class \\w+ extends (React\\.)?\\w*Component|^<script",
    glob: "*.{tsx,jsx,vue,svelte}",
    where: "program",
  },
  {
    name: "exported declarations",
    words: "(?:exported|public) (?:function|class|type|name|declaration)(?:e(?=s))?",
    pattern:
      "^export (default )?(async )?(abstract )?(function|class|const|interface|type|enum) |^func (\\([^)]*\\) )?[A-Z]|^type [A-Z]|^\\s*pub (async )?(fn|struct|enum|trait) |^(def|class) [A-Za-z]",
    where: "program",
  },
];

const ask = "(?:what|which|list|show(?: me)?|find|where are|are there(?: any)?|how many|count)";
const filler = "(?: (?:all|the|of|other|different|available|its|our|are|do you see|there))*";
const about =
  "(?: (?:are|is|does|do|can|will|should|in|of|here|there|exist|defined|it|this|we|i|you|have|has|need|takes?|reads?|uses?|expose|supports?|the|project|repo|code(?:base)?|app(?:lication)?|cli|program|server|service|api|tool|package|set|pass|use|to|that|for|got))*";

/** "What endpoints are there?", "how many tests do we have?", "list all exported functions". */
export const listKind: Skill = (request) => {
  const text = bare(request);
  const kind = kinds.find(({ words }) =>
    new RegExp(`^${ask}${filler} ${words}s?${about}$`, "i").test(text),
  );
  if (kind) return listLines(kind);
  return asksForWork.test(text) || asksForTodos(text) ? todos() : null;
};

function* listLines({ name, pattern, glob, where }: Kind): AnswerScript {
  const about = `lines that look like ${name}`;
  const { text } = yield* make(searchText(pattern, { about, limit: 200, ...(glob && { glob }) }));
  const found = parseMatches(text).filter(
    ({ path }) => !isProse(path) && (where === "tests" ? isTest(path) : !isTest(path)),
  );
  const files = new Set(found.map(({ path }) => path)).size;
  const count = `${stoppedEarly(text) ? "at least " : ""}${counted(found.length, "line")} in ${counted(files, "file")}`;
  return (
    listed(
      `${count} ${found.length === 1 ? "looks" : "look"} like ${name}`,
      found.map(quote),
      20,
    ) || `I found no ${name}: no line has a form that I know.`
  );
}

const asksForWork =
  /^what (?:should|can|could) (?:i|we) (?:work on|do|fix|improve)(?: next| here| first)?$|^(?:what(?:'s| is)|is there (?:anything|something|more)) (?:left|next|missing|unfinished)(?: to do)?(?: (?:here|in (?:the|this) \w+))?$/i;

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

function asksForTodos(text: string): boolean {
  const words = text.toLowerCase().match(/[\w./-]*\w/g) ?? [];
  const others = words.filter((word) => !namesTodos.test(word));
  return (
    others.length < words.length &&
    others.every((word) => wordsOfTodos.has(word) || /[./]\w/.test(word))
  );
}

function* todos(): AnswerScript {
  const { text } = yield* make(
    searchText("\\b(TODO|FIXME|XXX|HACK)\\b", { about: "TODO, FIXME, XXX, HACK" }),
  );
  const found = testsLast(parseMatches(text));
  const all = `${stoppedEarly(text) ? "More than " : ""}${counted(found.length, "line")}`;
  return (
    listed(`${all} with TODO, FIXME, XXX or HACK`, found.map(quote), 20) ||
    "No: no file contains TODO, FIXME, XXX or HACK."
  );
}
