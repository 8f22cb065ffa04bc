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
  /** Default: anywhere, even in prose. */
  where?: "tests" | "program";
};

const todos: Kind = {
  name: "TODO, FIXME, XXX or HACK comments",
  words: "(?:to-?do|fixme)s?(?: (?:and|or) fixme)?(?: comment)?",
  pattern: "\\b(TODO|FIXME|XXX|HACK)\\b",
};

const kinds: readonly Kind[] = [
  todos,
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

const ask =
  "(?:what|which|list|show(?: me)?|find|where are|are there(?: any)?|grep|search for|is there|do (?:we|you) have|how many|count)";
const filler =
  "(?: (?:an?|all|any|the|of|other|different|available|its|our|are|do you see|there))*";
const about =
  "(?: (?:are|is|does|do|can|will|should|in|of|here|there|left|anywhere|still|exist|defined|it|this|we|i|you|have|has|need|takes?|reads?|uses?|expose|supports?|the|project|repo|code(?:base)?|app(?:lication)?|cli|program|server|service|api|tool|package|set|pass|use|to|that|for|got))*";

/** "What endpoints are there?", "how many tests do we have?", "list all exported functions". */
export const listKind: Skill = (request) => {
  const text = bare(request);
  for (const kind of kinds) {
    const form = `^(?:${ask}(?=\\s))?${filler}\\s?${kind.words}s?${about}(?: in ([\\w@./-]+))?$`;
    const found = new RegExp(form, "i").exec(text);
    if (found) return listLines(kind, found[1]);
  }
  return asksForWork.test(text) ? listLines(todos) : null;
};

function* listLines({ name, pattern, glob, where }: Kind, path?: string): AnswerScript {
  const about = `lines that look like ${name}`;
  const { text } = yield* make(
    searchText(pattern, { about, limit: 200, ...(glob && { glob }), ...(path && { path }) }),
  );
  const found = testsLast(parseMatches(text)).filter(
    ({ path }) => where === undefined || (!isProse(path) && isTest(path) === (where === "tests")),
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
