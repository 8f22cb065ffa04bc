/** Themes for terminals with 16 colors. */

type Style = { open: string; close: string };

/** The nearest of the 16 colors to those that the themes use, as SGR codes. */
const nearest: Readonly<Record<string, number>> = {
  22: 32,
  23: 36,
  24: 36,
  25: 34,
  26: 34,
  73: 36,
  75: 94,
  80: 96,
  89: 35,
  90: 35,
  94: 33,
  96: 35,
  108: 32,
  110: 94,
  114: 92,
  117: 94,
  124: 31,
  139: 35,
  140: 95,
  157: 92,
  160: 31,
  173: 33,
  174: 91,
  179: 93,
  180: 33,
  203: 91,
  215: 33,
  217: 91,
  222: 93,
  223: 93,
  241: 90,
  246: 37,
};

/** A style in 16 colors. Text on a colored ground would often be unreadable: there is no such ground. */
export function inFewColors({ open, close }: Style, ground: "plain" | "inverted"): Style {
  const few = open
    // eslint-disable-next-line no-control-regex -- a ground
    .replace(/\x1b\[48;5;\d+m/, ground === "plain" ? "" : "\x1b[7m")
    .replace(/38;5;(\d+)/, (_, color: string) => String(nearest[color] ?? 39));
  // eslint-disable-next-line no-control-regex -- the end of a ground
  return { open: few, close: close.replace(/\x1b\[49m/, ground === "plain" ? "" : "\x1b[27m") };
}
