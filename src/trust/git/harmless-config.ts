/** Whether a repository's own configuration holds only settings that make git run nothing. */

const anyValue = /^/;
const word = /^[\w.,:/ -]*$/;
const yesOrNo = /^(?:true|false|yes|no|on|off|0|1|)$/i;

/** The keys that are known to be harmless, by their values; `*` stands for the name of a section. */
const known = new Map<string, RegExp>(
  (
    [
      [/^[01]$/, "core.repositoryformatversion"],
      [/^false$/i, "core.bare"],
      [/^(?:true|false|always)$/i, "core.logallrefupdates"],
      [/^(?:true|false|input)$/i, "core.autocrlf"],
      // The wrapper sets these two itself, and its values win.
      [/^(?:true|false)$/i, "core.fsmonitor"],
      [anyValue, "core.hookspath"],
      [/^(?!ext::)/, "remote.*.url remote.*.pushurl"],
      [
        yesOrNo,
        "core.filemode core.ignorecase core.longpaths core.precomposeunicode core.preloadindex core.protecthfs " +
          "core.protectntfs core.quotepath core.symlinks commit.gpgsign feature.manyfiles fetch.prune " +
          "fetch.prunetags push.autosetupremote push.followtags rebase.autosquash rebase.autostash " +
          "remote.*.prune rerere.enabled tag.gpgsign",
      ],
      [
        word,
        "core.abbrev core.compression core.eol core.safecrlf core.untrackedcache branch.*.rebase color.ui " +
          "commit.verbose diff.algorithm diff.renames gc.auto index.version init.defaultbranch log.date " +
          "log.decorate merge.conflictstyle merge.ff pull.ff pull.rebase push.default remote.*.gh-resolved " +
          "remote.*.tagopt",
      ],
      [
        anyValue,
        "author.email author.name branch.*.description branch.*.gh-merge-base branch.*.github-pr-owner-number " +
          "branch.*.merge branch.*.pushremote branch.*.remote branch.*.vscode-merge-base core.commentchar " +
          "remote.*.fetch remote.*.push user.email user.name",
      ],
    ] as const
  ).flatMap(([value, keys]) => keys.split(" ").map((key) => [key, value] as const)),
);

const sections = new Set([...known.keys()].map((key) => key.slice(0, key.lastIndexOf("."))));

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
      if (!sections.has(section)) return false;
      continue;
    }
    const [, key = "", value = ""] = keyLine.exec(line) ?? [];
    const isHarmless = known.get(`${section}.${key.toLowerCase()}`)?.test(unquoted(value));
    if (!isHarmless || line.endsWith("\\")) return false;
  }
  return true;
}

const unquoted = (value: string): string => /^"([^"\\]*)"$/.exec(value)?.[1] ?? value;

/** An address with a password or a token in it. */
export const holdsCredentials = (config: string): boolean =>
  /:\/\/[^/\s@]+@|extraheader|\b(?:password|token)\b/i.test(config.replace(/:\/\/git@/g, "://"));
