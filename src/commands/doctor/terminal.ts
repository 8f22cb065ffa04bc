import type { Environment } from "../../base/environment.ts";
import { ok, problem, warning, type Check } from "./check.ts";

export type Terminal = {
  env: Environment;
  isTerminal: boolean;
  columns: number;
  rows: number;
};

/** What the screen needs from the terminal. */
export function checkTerminal(terminal: Terminal): Check[] {
  return [size(terminal), colors(terminal), encoding(terminal), clipboard(terminal)];
}

/** The smallest size that fits the meter and a prompt. */
const minColumns = 20;
const minRows = 5;
const comfortableColumns = 60;

function size({ env, isTerminal, columns, rows }: Terminal): Check {
  const name = "Terminal";
  if (!isTerminal)
    return warning(
      name,
      "output is not a terminal",
      "start it in a terminal for the screen; -p works without one",
    );
  const text = `${env["TERM"] ?? "TERM is not set"}, ${columns}x${rows}`;
  if (columns < minColumns || rows < minRows)
    return problem(name, text, `enlarge it to ${minColumns}x${minRows} or more`);
  if (columns < comfortableColumns)
    return warning(name, text, `${comfortableColumns} columns show more`);
  return ok(name, text);
}

function colors({ env }: Terminal): Check {
  const name = "Colors";
  const { TERM = "", COLORTERM = "" } = env;
  if (env["NO_COLOR"]) return ok(name, "off, because NO_COLOR is set");
  if (TERM === "" || TERM === "dumb")
    return warning(name, "none", "set TERM, for example to xterm-256color");
  if (/truecolor|24bit/i.test(COLORTERM)) return ok(name, "16 million");
  return ok(name, /256/.test(TERM) ? "256" : "16");
}

function encoding({ env }: Terminal): Check {
  const name = "Encoding";
  const locale = env["LC_ALL"] || env["LC_CTYPE"] || env["LANG"] || "";
  if (/utf-?8/i.test(locale)) return ok(name, `UTF-8 (${locale})`);
  const text = locale === "" ? "no locale is set" : `${locale} is not UTF-8`;
  return warning(name, text, "set LANG, for example to C.UTF-8");
}

const clipboardTools = ["pbcopy", "wl-copy", "xclip", "xsel"];

function clipboard({ env }: Terminal): Check {
  const name = "Clipboard";
  const { PATH = "", TMUX } = env;
  const tools = clipboardTools.filter((tool) => Bun.which(tool, { PATH }));
  const found = tools.length === 0 ? "" : `; also found: ${tools.join(", ")}`;
  if (!TMUX) return ok(name, `through the terminal (OSC 52)${found}`);
  return warning(
    name,
    `through tmux, which must allow it${found}`,
    "put `set -g set-clipboard on` into ~/.tmux.conf",
  );
}
