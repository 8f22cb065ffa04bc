/** Whether a repository's own configuration holds only settings that make git run nothing. */

const sections: Readonly<Record<string, string>> = {
  core:
    "repositoryformatversion bare logallrefupdates autocrlf fsmonitor hookspath filemode ignorecase longpaths " +
    "precomposeunicode preloadindex protecthfs protectntfs quotepath symlinks abbrev compression eol safecrlf " +
    "untrackedcache commentchar",
  "remote.*": "url pushurl prune gh-resolved tagopt fetch push",
  "branch.*":
    "rebase description gh-merge-base github-pr-owner-number merge pushremote remote vscode-merge-base",
  user: "email name",
  author: "email name",
  color: "ui",
  commit: "gpgsign verbose",
  diff: "algorithm renames",
  feature: "manyfiles",
  fetch: "prune prunetags",
  gc: "auto",
  index: "version",
  init: "defaultbranch",
  log: "date decorate",
  merge: "conflictstyle ff",
  pull: "ff rebase",
  push: "autosetupremote default followtags",
  rebase: "autosquash autostash",
  rerere: "enabled",
  tag: "gpgsign",
};

/** Values with which these would run a program, or make another folder the working tree. */
const runs = /^core\.bare=(?!false$)|^core\.fsmonitor=(?!(?:true|false)$)|=ext::/i;

const sectionLine = /^\[([a-zA-Z][\w-]*)(?: "([^"\\\n]*)")?\]$/;
const keyLine = /^([a-zA-Z][a-zA-Z0-9-]*)(?:\s*=\s*(.*))?$/;

/** Strict: what git might read in another way (includes, continued lines, escapes) is not harmless. */
export function isHarmlessConfig(text: string): boolean {
  let section = "";
  for (const raw of text.split("\n")) {
    const line = raw.trim();
    if (line === "" || line.startsWith("#") || line.startsWith(";")) continue;
    const [opens, name = "", subsection] = sectionLine.exec(line) ?? [];
    if (opens !== undefined) {
      section = name.toLowerCase() + (subsection === undefined ? "" : ".*");
      if (!Object.hasOwn(sections, section)) return false;
      continue;
    }
    const [, key = "", value = ""] = keyLine.exec(line) ?? [];
    const isKnown = sections[section]?.split(" ").includes(key.toLowerCase()) === true;
    const setting = `${section}.${key}=${/^"([^"\\]*)"$/.exec(value)?.[1] ?? value}`;
    if (!isKnown || runs.test(setting) || line.endsWith("\\")) return false;
  }
  return true;
}

/** An address with a password or a token in it. */
export const holdsCredentials = (config: string): boolean =>
  /:\/\/[^/\s@]+@|extraheader|\b(?:password|token)\b/i.test(config.replace(/:\/\/git@/g, "://"));
