/** Keywords of a question, and the forms in which code may write them. */

const stop = new Set(
  `a an and are as at be been by can could code codebase did do does file files find for from function get
  give go handle has have how i in into is it its line locate look me my of on or our part place please point
  project repo repository search see show source tell that the their them there these this those to us use
  used was we what when where which who whose why will with work works you your defined implemented located
  declared called made done happen happens exactly`.split(/\s+/),
);

/** Words that say what is done with a thing rather than which thing: worth less than a name. */
const verbs: Record<string, readonly string[]> = {
  draw: ["draw", "render", "paint", "layout", "display"],
  render: ["render", "draw", "display"],
  show: ["show", "display", "render"],
  display: ["display", "render", "show"],
  print: ["print", "write", "output"],
  write: ["write", "append", "save", "persist"],
  save: ["save", "persist", "write", "store"],
  read: ["read", "load", "parse"],
  load: ["load", "read", "open"],
  delete: ["delete", "remove", "unlink"],
  remove: ["remove", "delete"],
  create: ["create", "make", "new", "build"],
  check: ["check", "validate", "assert", "verify"],
  compute: ["compute", "calculate", "measure"],
  measure: ["measure", "compute", "count"],
  send: ["send", "post", "emit", "push"],
  parse: ["parse", "read"],
  start: ["start", "run", "launch", "main"],
  test: ["test", "spec", "expect"],
};

export type Keyword = {
  word: string;
  /** Any of these counts as the word. */
  forms: readonly string[];
  /** A verb: helps to rank, does not find by itself. */
  verb: boolean;
};

export function keywordsOf(question: string): Keyword[] {
  const seen = new Set<string>();
  return (question.match(/[A-Za-z_$][\w$-]*/g) ?? []).flatMap((raw): Keyword[] => {
    const lower = raw.toLowerCase();
    const isName = /[a-z][A-Z]|_|\w-\w/.test(raw);
    if (!isName && (stop.has(lower) || lower.length < 3)) return [];
    const base = isName ? raw : stem(lower);
    if (seen.has(base)) return [];
    seen.add(base);
    const synonyms = verbs[base];
    return [{ word: base, forms: synonyms ?? [base], verb: synonyms !== undefined }];
  });
}

/** "draws", "drawn", "drawing" are all "draw"; good enough for search, where a part of a word matches. */
export function stem(word: string): string {
  if (irregular[word]) return irregular[word];
  for (const [ending, back] of endings) {
    if (word.length - ending.length >= 3 && word.endsWith(ending)) {
      const base = word.slice(0, -ending.length) + back;
      return /(.)\1$/.test(base) && !/(ss|ll)$/.test(base) ? base.slice(0, -1) : base;
    }
  }
  return word;
}

const irregular: Record<string, string> = {
  drawn: "draw",
  shown: "show",
  written: "write",
  sent: "send",
  kept: "keep",
  held: "hold",
  found: "find",
  chosen: "choose",
  built: "build",
  rendered: "render",
  created: "create",
  computed: "compute",
  measured: "measure",
  saved: "save",
  deleted: "delete",
  removed: "remove",
  parsed: "parse",
  tests: "test",
};

const endings: readonly (readonly [string, string])[] = [
  ["ies", "y"],
  ["ing", ""],
  ["ed", ""],
  ["es", "e"],
  ["s", ""],
];

/** A name in the ways that code writes it: camelCase, snake_case, kebab-case, PascalCase. */
export function phrasePattern(words: readonly Keyword[]): string {
  return words
    .map(({ forms }) =>
      forms.length > 1 ? `(${forms.map(escape).join("|")})` : escape(forms[0] ?? ""),
    )
    .join("[\\s_-]?");
}

export const escape = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
