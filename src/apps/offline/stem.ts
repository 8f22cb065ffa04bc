/** Words brought to a common form. Rough, but the same on both sides of every comparison. */

/** "draws", "drawn", "drawing" are all "draw"; "price", "priced", "pricing" all "pric". */
export function stem(word: string): string {
  const known = irregular[word];
  if (known) return known;
  for (const [ending, back] of endings) {
    const rest = word.slice(0, -ending.length);
    if (!word.endsWith(ending) || rest.length < 3 || !/[aeiouy]/.test(rest)) continue;
    if (ending === "s" && /[sui]$/.test(rest)) continue;
    const base = rest + back;
    return withoutE(
      /([bdgklmnprt])\1$/.test(base) && !base.endsWith("ll") ? base.slice(0, -1) : base,
    );
  }
  return withoutE(word);
}

/** The parts of every name and word in a text, as stems. */
export const subwords = (text: string): string[] =>
  (text.match(/[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+/g) ?? []).map((part) => stem(part.toLowerCase()));

const withoutE = (word: string): string =>
  word.length > 3 && word.endsWith("e") ? word.slice(0, -1) : word;

const irregular: Record<string, string> = {
  drawn: "draw",
  drew: "draw",
  shown: "show",
  written: "writ",
  wrote: "writ",
  sent: "send",
  kept: "keep",
  held: "hold",
  found: "find",
  chosen: "choos",
  built: "build",
  ran: "run",
  thrown: "throw",
  caught: "catch",
  said: "say",
  told: "tell",
  string: "string",
  thing: "thing",
  need: "need",
  speed: "speed",
  seed: "seed",
  feed: "feed",
  exceed: "exceed",
};

const endings: readonly (readonly [string, string])[] = [
  ["ies", "y"],
  ["ied", "y"],
  ["ing", ""],
  ["ed", ""],
  ["es", "e"],
  ["s", ""],
];
