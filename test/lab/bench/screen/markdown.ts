/** Text as models write it. Without capital Q, X and Z, which the bench types. */

const words =
  `the parser reads one frame and keeps its state small while a second pass folds adjacent spans so
that later edits touch few rows and memory stays flat under load because each buffer has an owner with a
clear end of life which tests can check at once`.split(/\s+/);

/** Each piece is a token: an endless sequence of headings, paragraphs, lists, tables and code. */
export function* markdown(): Generator<string> {
  let next = 0;
  const word = (): string => words[next++ % words.length] ?? "";
  for (let section = 1; ; section++) {
    yield* [section > 1 ? "\n\n## " : "## ", "Section", ` ${section}`, "\n\n"];
    for (let n = 0; n < 60; n++) yield (n > 0 ? " " : "") + word();
    yield* [".", "\n\n"];
    for (let item = 0; item < 4; item++) {
      yield* ["- **", word(), "**:"];
      for (let n = 0; n < 12; n++) yield ` ${word()}`;
      yield "\n";
    }
    yield "\n";
    yield* ["| name", " | use", " |\n", "|---", "|---", "|\n"];
    for (let row = 0; row < 3; row++)
      yield* [`| \`${word()}`, "` | ", word(), ` ${word()}`, " |\n"];
    yield* ["\n", "```", "ts", "\n", ...line(0), ...line(1), ...line(2), ...line(3), "```", "\n"];
  }
}

/** An unfinished answer that begins with a code block of this many lines. */
export function* codeBlock(): Generator<string> {
  yield* ["```", "ts", "\n"];
  for (let n = 0; ; n++) yield* line(n);
}

const line = (n: number): string[] => [
  "const",
  ` v${n}`,
  " =",
  ` f("${words[n % 40]}"`,
  `, ${n}`,
  ");",
  "\n",
];
export const tokensPerLine = line(0).length;
