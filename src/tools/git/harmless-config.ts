/** Whether a repository's own configuration holds only settings that make git run nothing. */

const anyValue = /^/;
const word = /^[\w.,:/ -]*$/;
const yesOrNo = /^(?:true|false|yes|no|on|off|0|1|)$/i;

/** Sections as written without a name, and the keys that are known to be harmless in them. */
const plainKeys: Record<string, Record<string, RegExp>> = {
  core: {
    repositoryformatversion: /^[01]$/,
    filemode: yesOrNo,
    bare: /^false$/i,
    logallrefupdates: /^(?:true|false|always)$/i,
    ignorecase: yesOrNo,
    precomposeunicode: yesOrNo,
    symlinks: yesOrNo,
    autocrlf: /^(?:true|false|input)$/i,
    eol: word,
    safecrlf: word,
    quotepath: yesOrNo,
    abbrev: word,
    compression: word,
    longpaths: yesOrNo,
    protecthfs: yesOrNo,
    protectntfs: yesOrNo,
    untrackedcache: word,
    preloadindex: yesOrNo,
    commentchar: anyValue,
    // The wrapper sets these two itself, and its values win.
    fsmonitor: /^(?:true|false)$/i,
    hookspath: anyValue,
  },
  user: { name: anyValue, email: anyValue },
  author: { name: anyValue, email: anyValue },
  init: { defaultbranch: word },
  push: { default: word, autosetupremote: yesOrNo, followtags: yesOrNo },
  pull: { rebase: word, ff: word },
  fetch: { prune: yesOrNo, prunetags: yesOrNo },
  merge: { conflictstyle: word, ff: word },
  rebase: { autosquash: yesOrNo, autostash: yesOrNo },
  rerere: { enabled: yesOrNo },
  commit: { gpgsign: yesOrNo, verbose: word },
  tag: { gpgsign: yesOrNo },
  color: { ui: word },
  log: { date: word, decorate: word },
  diff: { renames: word, algorithm: word },
  gc: { auto: word },
  index: { version: word },
  feature: { manyfiles: yesOrNo },
};

/** The same for sections with a name, such as `[remote "origin"]`. */
const namedKeys: Record<string, Record<string, RegExp>> = {
  remote: {
    url: /^(?!ext::)/,
    pushurl: /^(?!ext::)/,
    fetch: anyValue,
    push: anyValue,
    prune: yesOrNo,
    tagopt: word,
    "gh-resolved": word,
  },
  branch: {
    remote: anyValue,
    merge: anyValue,
    rebase: word,
    pushremote: anyValue,
    description: anyValue,
    "vscode-merge-base": anyValue,
    "gh-merge-base": anyValue,
    "github-pr-owner-number": anyValue,
  },
};

const sectionLine = /^\[([a-zA-Z][\w-]*)(?: "([^"\\\n]*)")?\]$/;
const keyLine = /^([a-zA-Z][a-zA-Z0-9-]*)(?:\s*=\s*(.*))?$/;

/** Strict: what git might read in another way (includes, continued lines, escapes) is not harmless. */
export function isHarmlessConfig(text: string): boolean {
  let keys: Record<string, RegExp> | undefined;
  for (const raw of text.split("\n")) {
    const line = raw.trim();
    if (line === "" || line.startsWith("#") || line.startsWith(";")) continue;
    const section = sectionLine.exec(line);
    if (section) {
      const [, name = "", subsection] = section;
      const known = subsection === undefined ? plainKeys : namedKeys;
      const lower = name.toLowerCase();
      if (!Object.hasOwn(known, lower)) return false;
      keys = known[lower];
      continue;
    }
    const [, key = "", value = ""] = keyLine.exec(line) ?? [];
    const lower = key.toLowerCase();
    if (!keys || !Object.hasOwn(keys, lower) || line.endsWith("\\")) return false;
    if (!keys[lower]?.test(unquoted(value))) return false;
  }
  return true;
}

const unquoted = (value: string): string => /^"([^"\\]*)"$/.exec(value)?.[1] ?? value;

/** An address with a password or a token in it. */
export const holdsCredentials = (config: string): boolean =>
  /:\/\/[^/\s@]+@|extraheader|\b(?:password|token)\b/i.test(config.replace(/:\/\/git@/g, "://"));
