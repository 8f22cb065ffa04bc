/** Grammars by the names of languages and files. Each is loaded when it is first used. */

import { basename, extname } from "node:path";
import type { StreamParser } from "@codemirror/streamparser";
import type { Role } from "../theme.ts";

/** Maps a grammar's token names to roles; tokens that are not listed are not highlighted. */
type Roles = Readonly<Record<string, Role>>;

export type Grammar = { parser: StreamParser<unknown>; roles: Roles };

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
  ["php phtml", () => require("./php.ts").php],
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

/** Every name of a language that has a grammar. */
export const languageNames: readonly string[] = [...byName.keys()];

/** The grammar of a language; null if there is none. */
export function loadGrammar(language: string): Grammar | null {
  const known = byName.get(language.toLowerCase());
  return known ? { parser: known.load(), roles: known.roles } : null;
}

/** The name of a file's language: its extension, or its own name if it has none. */
export const readLanguage = (path: string): string =>
  extname(path).slice(1) || basename(path).replace(/^\./, "");
