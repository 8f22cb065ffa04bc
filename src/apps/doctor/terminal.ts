import type { Check } from "./check.ts";

export type Terminal = {
  env: Record<string, string | undefined>;
  isTerminal: boolean;
  columns: number;
  rows: number;
};

/** What the screen needs from the terminal. */
export function checkTerminal(terminal: Terminal): Check[] {
  return [size(terminal), colors(terminal), encoding(terminal), clipboard(terminal)];
}

/** In less, the meter and a prompt do not fit. */
const minColumns = 20;
const minRows = 5;
const comfortableColumns = 60;

function size({ env, isTerminal, columns, rows }: Terminal): Check {
  const name = "Terminal";
  if (!isTerminal)
    return {
      name,
      state: "warning",
      text: "output is not a terminal",
      fix: "start it in a terminal for the screen; -p works without one",
    };
  const text = `${env["TERM"] ?? "TERM is not set"}, ${columns}x${rows}`;
  if (columns < minColumns || rows < minRows)
    return { name, state: "problem", text, fix: `enlarge it to ${minColumns}x${minRows} or more` };
  if (columns < comfortableColumns)
    return { name, state: "warning", text, fix: `${comfortableColumns} columns show more` };
  return { name, state: "ok", text };
}

function colors({ env }: Terminal): Check {
  const name = "Colors";
  const { TERM = "", COLORTERM = "" } = env;
  if (env["NO_COLOR"]) return { name, state: "ok", text: "off, because NO_COLOR is set" };
  if (TERM === "" || TERM === "dumb")
    return { name, state: "warning", text: "none", fix: "set TERM, for example to xterm-256color" };
  if (/truecolor|24bit/i.test(COLORTERM)) return { name, state: "ok", text: "16 million" };
  return { name, state: "ok", text: /256/.test(TERM) ? "256" : "16" };
}

function encoding({ env }: Terminal): Check {
  const name = "Encoding";
  const locale = env["LC_ALL"] || env["LC_CTYPE"] || env["LANG"] || "";
  if (/utf-?8/i.test(locale)) return { name, state: "ok", text: `UTF-8 (${locale})` };
  return {
    name,
    state: "warning",
    text: locale === "" ? "no locale is set" : `${locale} is not UTF-8`,
    fix: "set LANG, for example to C.UTF-8",
  };
}

const clipboardTools = ["pbcopy", "wl-copy", "xclip", "xsel"];

function clipboard({ env }: Terminal): Check {
  const name = "Clipboard";
  const { PATH = "", TMUX } = env;
  const tools = clipboardTools.filter((tool) => Bun.which(tool, { PATH }));
  const found = tools.length === 0 ? "" : `; also found: ${tools.join(", ")}`;
  if (!TMUX) return { name, state: "ok", text: `through the terminal (OSC 52)${found}` };
  return {
    name,
    state: "warning",
    text: `through tmux, which must allow it${found}`,
    fix: "put `set -g set-clipboard on` into ~/.tmux.conf",
  };
}
