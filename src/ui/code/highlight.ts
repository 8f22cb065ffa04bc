/** Highlights code line by line with CodeMirror's grammars, each loaded when it is first used. */

import { basename, extname } from "node:path";
import type { StreamParser } from "@codemirror/streamparser";
import type { Role, Theme } from "../theme.ts";

/** Maps a grammar's token names to roles; tokens that are not listed are not highlighted. */
type Roles = Readonly<Record<string, Role>>;

type Grammar = { parser: StreamParser<unknown>; roles: Roles };

const code: Roles = {
  keyword: "keyword",
  self: "keyword",
  string: "string",
  comment: "comment",
  number: "number",
  atom: "number",
  type: "type",
  builtin: "type",
  meta: "type",
  macroName: "type",
  tag: "type",
  attribute: "property",
  "string property": "property",
};
const style: Roles = { ...code, property: "property", qualifier: "type" };
const data: Roles = { ...style, atom: "property", def: "property", meta: "comment" };

type Load = () => StreamParser<unknown>;

const clike = (): typeof import("@codemirror/legacy-modes/mode/clike") =>
  require("@codemirror/legacy-modes/mode/clike");
const js = (): typeof import("@codemirror/legacy-modes/mode/javascript") =>
  require("@codemirror/legacy-modes/mode/javascript");

/** Names of a language, and of its files or their extensions. */
const languages: readonly (readonly [names: string, load: Load, roles?: Roles])[] = [
  ["typescript ts tsx mts cts", () => js().typescript],
  ["javascript js jsx mjs cjs", () => js().javascript],
  ["json jsonc json5 jsonl", () => js().json],
  ["python py pyi", () => require("@codemirror/legacy-modes/mode/python").python],
  ["bash sh shell zsh make makefile", () => require("@codemirror/legacy-modes/mode/shell").shell],
  ["c h", () => clike().c],
  ["cpp c++ cc cxx hpp hh", () => clike().cpp],
  ["csharp c# cs", () => clike().csharp],
  ["java", () => clike().java],
  ["kotlin kt kts", () => clike().kotlin],
  ["scala", () => clike().scala],
  ["dart", () => clike().dart],
  ["objc objective-c m mm", () => clike().objectiveCpp],
  ["go golang", () => require("@codemirror/legacy-modes/mode/go").go],
  ["rust rs", () => require("@codemirror/legacy-modes/mode/rust").rust],
  ["ruby rb rakefile gemfile", () => require("@codemirror/legacy-modes/mode/ruby").ruby],
  ["swift", () => require("@codemirror/legacy-modes/mode/swift").swift],
  ["lua", () => require("@codemirror/legacy-modes/mode/lua").lua],
  ["perl pl pm", () => require("@codemirror/legacy-modes/mode/perl").perl],
  ["r", () => require("@codemirror/legacy-modes/mode/r").r],
  ["julia jl", () => require("@codemirror/legacy-modes/mode/julia").julia],
  ["haskell hs", () => require("@codemirror/legacy-modes/mode/haskell").haskell],
  ["ocaml ml mli", () => require("@codemirror/legacy-modes/mode/mllike").oCaml],
  ["elm", () => require("@codemirror/legacy-modes/mode/elm").elm],
  ["erlang erl hrl", () => require("@codemirror/legacy-modes/mode/erlang").erlang],
  ["clojure clj cljs edn", () => require("@codemirror/legacy-modes/mode/clojure").clojure],
  ["groovy gradle", () => require("@codemirror/legacy-modes/mode/groovy").groovy],
  ["powershell ps1 pwsh", () => require("@codemirror/legacy-modes/mode/powershell").powerShell],
  ["sql", () => require("@codemirror/legacy-modes/mode/sql").standardSQL],
  ["protobuf proto", () => require("@codemirror/legacy-modes/mode/protobuf").protobuf],
  ["cmake", () => require("@codemirror/legacy-modes/mode/cmake").cmake],
  ["nginx", () => require("@codemirror/legacy-modes/mode/nginx").nginx],
  ["dockerfile docker", () => require("@codemirror/legacy-modes/mode/dockerfile").dockerFile],
  ["html htm vue svelte", () => require("@codemirror/legacy-modes/mode/xml").html],
  ["xml svg", () => require("@codemirror/legacy-modes/mode/xml").xml],
  ["css", () => require("@codemirror/legacy-modes/mode/css").css, style],
  ["scss", () => require("@codemirror/legacy-modes/mode/css").sCSS, style],
  ["less", () => require("@codemirror/legacy-modes/mode/css").less, style],
  ["yaml yml", () => require("@codemirror/legacy-modes/mode/yaml").yaml, data],
  ["toml", () => require("@codemirror/legacy-modes/mode/toml").toml, data],
  [
    "ini properties cfg conf env",
    () => require("@codemirror/legacy-modes/mode/properties").properties,
    data,
  ],
];

const byName = new Map(
  languages.flatMap(([names, load, roles]) =>
    names.split(" ").map((name) => [name, { load, roles: roles ?? code }] as const),
  ),
);

export const languageNames: readonly string[] = [...byName.keys()];

export function loadGrammar(language: string): Grammar | null {
  const known = byName.get(language.toLowerCase());
  return known ? { parser: known.load(), roles: known.roles } : null;
}

/** The name of a file's language: its extension, or its own name if it has none. */
export const readLanguage = (path: string): string =>
  extname(path).slice(1) || basename(path).replace(/^\./, "");

const streams = (): typeof import("@codemirror/streamparser") =>
  require("@codemirror/streamparser");

const diffs = /^(?:diff|patch)$/i;

const tabSize = 4;

/** With a larger unit, Python's grammar marks code with a smaller indent as an error. */
const indentUnit = 1;

/** Longer lines are not highlighted: most are generated, and some grammars are slow on them. */
const maxChars = 2_000;

/** How often in a row a grammar may change its state without consuming a character. */
const maxPauses = 10;

/** A line number before quoted code; the rest of the line is highlighted as code. */
const lineNumber = /^\s*\d+(?:\s{2}|\s*[:|│→]\s?|$)/;

export type Highlighter = ReturnType<typeof makeHighlighter>;

/** `language`: its name, or the extension of its files; an unknown one is not highlighted. */
export function makeHighlighter(language: string, theme: Theme) {
  const grammar = loadGrammar(language);
  let state = startState(grammar);
  /** Whether lines start with their numbers, as the first one showed; null: none was read. */
  let isNumbered: boolean | null = null;

  const code = (text: string, known: Grammar): string => {
    try {
      if (text !== "") return painted(text, known, state, theme);
      known.parser.blankLine?.(state, indentUnit);
    } catch {
      // Grammars expect code and may throw on anything else.
      state = startState(known);
    }
    return text;
  };
  const line = (text: string): string => {
    if (diffs.test(language)) return diffLine(text, theme);
    if (!grammar || text.length > maxChars) return text;
    isNumbered ??= lineNumber.test(text);
    const [number = ""] = (isNumbered && lineNumber.exec(text)) || [];
    const gutter = number === "" ? "" : theme.paint("dim", number);
    return gutter + code(text.slice(number.length), grammar);
  };
  return {
    line,
    /** An incomplete line; the next one is highlighted as if this one had not been seen. */
    unfinished(text: string): string {
      const before = { state, isNumbered };
      state = grammar?.parser.copyState?.(state) ?? copyState(state);
      const shown = line(text);
      ({ state, isNumbered } = before);
      return shown;
    },
  };
}

const startState = (grammar: Grammar | null): unknown =>
  grammar?.parser.startState?.(indentUnit) ?? {};

function painted(text: string, { parser, roles }: Grammar, state: unknown, theme: Theme): string {
  const stream = new (streams().StringStream)(text, tabSize, indentUnit);
  let line = "";
  for (let pauses = 0; !stream.eol() && pauses < maxPauses;) {
    stream.start = stream.pos;
    // Some return undefined where the types say null.
    const kind = parser.token(stream, state) ?? "";
    const token = stream.current();
    pauses = token === "" ? pauses + 1 : 0;
    const role = roles[kind] ?? roles[/^[^ .]*/.exec(kind)?.[0] ?? ""];
    line += role === undefined ? token : theme.paint(role, token);
  }
  return line + text.slice(stream.pos);
}

/** Does what CodeMirror does for grammars without a `copyState`. */
function copyState(state: unknown): unknown {
  if (typeof state !== "object" || state === null) return state;
  return Object.fromEntries(
    Object.entries(state).map(([key, value]) => [key, Array.isArray(value) ? [...value] : value]),
  );
}

export function highlight(code: string, language: string, theme: Theme): string[] {
  return code.split("\n").map(makeHighlighter(language, theme).line);
}

function diffLine(line: string, theme: Theme): string {
  if (line.startsWith("+++") || line.startsWith("---")) return theme.paint("strong", line);
  if (line.startsWith("+")) return theme.paint("added", line);
  if (line.startsWith("-")) return theme.paint("removed", line);
  if (line.startsWith("@@")) return theme.paint("accent", line);
  return line;
}
