/** SGR codes: the styles of terminal text. */

// eslint-disable-next-line no-control-regex -- the codes themselves
const codes = /\x1b\[([\d;]*)m/g;

/** One parameter; the indexed and direct colors take several numbers. */
const parameters = /[34]8;(?:5;\d+|2;\d+;\d+;\d+)|\d+/g;

/** The styles that each resetting code ends. */
const ends: Record<string, readonly string[]> = {
  "22": ["1", "2"],
  "23": ["3"],
  "24": ["4"],
  "27": ["7"],
  "29": ["9"],
  "39": ["text"],
  "49": ["ground"],
};

/** The code that opens the styles in effect at the end of `text`; empty if there are none. */
export function stylesAfter(text: string): string {
  if (!text.includes("\x1b")) return "";
  const on = new Map<string, string>();
  for (const [, params = ""] of text.matchAll(codes)) {
    for (const [one] of (params === "" ? "0" : params).matchAll(parameters)) {
      if (Number(one) === 0) on.clear();
      else if (ends[one]) for (const kind of ends[one]) on.delete(kind);
      else on.set(kindOf(one), one);
    }
  }
  return on.size === 0 ? "" : `\x1b[${[...on.values()].join(";")}m`;
}

/** Two codes of a kind replace each other. */
function kindOf(parameter: string): string {
  if (/^(?:3[0-8]|9[0-7])/.test(parameter)) return "text";
  if (/^(?:4[0-8]|10[0-7])/.test(parameter)) return "ground";
  return parameter;
}
