/** Tools by name, such as those of a run. */
export type Tools = { has(name: string): boolean };

/**
 * The lines of a text for the model, without those about tools that it does not have: a comment at the
 * end of a line, such as `<!-- Edit|Write -->` or `<!-- not Bash -->`, names one that it needs.
 */
export const toolLines = (text: string, tools: Tools): string[] =>
  text.split("\n").flatMap((line) => {
    const [, kept = "", not, names] = /^(.*) <!-- (not )?([\w|]+) -->$/.exec(line) ?? [];
    if (names === undefined) return [line];
    const isThere = names.split("|").some((name) => tools.has(name));
    return isThere === (not === undefined) ? [kept] : [];
  });
