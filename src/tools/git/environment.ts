/** Settings of git that outrank those of a repository, so that it runs no programs. */

const settings: Record<string, string> = {
  "core.attributesFile": "/dev/null",
  "core.fsmonitor": "false",
  "core.hooksPath": "/dev/null",
  "core.pager": "cat",
  "diff.ignoreSubmodules": "all",
  "gc.auto": "0",
  "log.showSignature": "false",
  "maintenance.auto": "false",
  "protocol.allow": "never",
  "safe.bareRepository": "explicit",
  "submodule.recurse": "false",
};

const numbered = Object.entries(settings).flatMap(([key, value], at) => [
  [`GIT_CONFIG_KEY_${at}`, key],
  [`GIT_CONFIG_VALUE_${at}`, value],
]);

/** Without the settings of the user and the system: those may name programs, too. */
export const quietGit: Readonly<Record<string, string>> = {
  ...Object.fromEntries(numbered),
  GIT_CONFIG_COUNT: String(Object.keys(settings).length),
  GIT_CONFIG_GLOBAL: "/dev/null",
  GIT_CONFIG_NOSYSTEM: "1",
  GIT_ATTR_NOSYSTEM: "1",
  GIT_ALLOW_PROTOCOL: "none",
  GIT_NO_LAZY_FETCH: "1",
  GIT_NO_REPLACE_OBJECTS: "1",
  GIT_OPTIONAL_LOCKS: "0",
  GIT_PAGER: "cat",
  GIT_TERMINAL_PROMPT: "0",
};
