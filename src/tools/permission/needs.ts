/**
 * The access that an approved command needs beyond the sandbox. Shown to the user with the question.
 */

import type { GitAccess, NetworkAccess } from "../tool.ts";
import { listed } from "../../base/in-words.ts";
import { registryHosts, widerAccess } from "./hosts.ts";
import { isReadingVerb, readGitCall, runsOnlyGit } from "./git-verbs.ts";
import { everyCommand } from "./line/every-command.ts";
import { readClearLine } from "./line/command-line.ts";
import { programName } from "./line/unwrap.ts";

export type Needs = {
  network: NetworkAccess;
  /** Keys, sockets or folders outside of the workspace. */
  outside: boolean;
  /** The files that git writes; null: it is not run. */
  git: GitAccess | null;
  /** Paths that were asked for. */
  writable: readonly string[];
  /** Because of which programs it leaves the sandbox, or has the whole network. */
  programs: readonly NeedyProgram[];
};

export type NeedyProgram = {
  /** The program and its subcommand, such as "git push"; null when it is called in another way. */
  name: string | null;
  /** The command. */
  text: string;
  /** An option tells it to run something else. */
  givesCode: boolean;
};

/** Their subcommands differ so much that they are allowed one by one. */
const withSubcommands =
  /^(?:git|gh|hub|glab|docker|podman|kubectl|helm|npm|pnpm|yarn|bun|cargo|mise|asdf|aws|gcloud|az)$/;

/** By which it is allowed for a session; null when it is called in another way. */
export function nameProgram(argv: readonly string[]): string | null {
  const [program = "", first = ""] = argv;
  if (!/^[\w.+-]+$/.test(program)) return null;
  if (!withSubcommands.test(program)) return program;
  return /^[a-z][\w-]*$/.test(first) ? `${program} ${first}` : null;
}

/**
 * Words that name a program, or a file of settings that does; git takes a beginning for the whole.
 * Allowing a program says nothing of these.
 */
const codeOptions: readonly (readonly [programs: RegExp, options: RegExp])[] = [
  [/^git$/, /^(?:-\w*c|--(?:exe|upl|rece|conf|tem|git-dir|work-tree|namespace|super)|ext::)/],
  [/^git clone$/, /^-\w*u/],
  // Pushing into a folder runs the hooks there.
  [/^git push$/, /^(?:--repo=)?(?:file:|~|\.{0,2}\/|\.{1,2}$)/],
  [/^git submodule$/, /^foreach$/],
  [/^git send-email$/, /^--(?:smtp-server|sendmail|to-c|cc-c|header-c)/],
  [/^(?:ssh|scp|sftp)$/, /^-\w*[oFSDP]/],
  [/^rsync$/, /^(?:-\w*[eM]|--(?:rsh|rsync-path|remote-option))/],
  [
    /^(?:kubectl|oc|helm|kind|minikube)$/,
    /^--(?:kubeconfig|post-renderer|registry-config|repository-config)/,
  ],
  [/^(?:docker|docker-compose|podman|buildah)$/, /^--(?:config|identity|hooks-dir|runtime|conmon)/],
  [/^gpg$/, /^--(?:\w+-program|homedir|options|exec-path)/],
  [/^(?:terraform|tofu|pulumi)$/, /^-{1,2}(?:plugin-dir|chdir|cwd)/],
  [/^(?:gcloud|aws|az)$/, /^--(?:configuration|flags-file|cli-input)/],
];

function isGivenCode(argv: readonly string[]): boolean {
  const program = programName(argv[0] ?? "");
  const names = [program, `${program} ${argv[1] ?? ""}`];
  return codeOptions.some(
    ([programs, options]) =>
      names.some((name) => programs.test(name)) && argv.some((word) => options.test(word)),
  );
}

const outside = new Set(
  (
    "sudo doas su ssh scp sftp ssh-add ssh-keygen gpg pass op gh glab hub docker docker-compose podman buildah kubectl " +
    "helm oc minikube kind terraform tofu pulumi aws gcloud az heroku fly flyctl vercel netlify wrangler firebase " +
    "apt apt-get dpkg dnf yum pacman apk brew snap flatpak port systemctl service launchctl journalctl dmesg crontab " +
    "mount umount open xdg-open code cursor osascript pbcopy " +
    "pbpaste tmux screen adb xcodebuild xcrun bwrap unshare nsenter claude codex gemini mini-claude"
  ).split(" "),
);

/** Version managers run tools in the sandbox, and install them outside of it. */
const managesVersions =
  /^(?:(?:rustup|nvm|fnm|volta|pyenv|rbenv|asdf|mise) (?:i|install|uninstall|use|u|up|upgrade|update|global|default|toolchain|target|component|override|plugin|plugins|pin|self|self-update|trust|settings|config|set)\b|(?:playwright|puppeteer) .*install\b)/;

const network = new Set(
  "curl wget http https xh nc ncat telnet ping dig nslookup host whois npx bunx pnpx uvx pipx ftp rclone".split(
    " ",
  ),
);

/** Package managers: with these verbs they download, with those they install outside. */
const downloads =
  /^(?:(?:npm|pnpm|yarn|bun) (?:i|install|add|ci|update|upgrade|up|create|init|dlx|exec|x|audit|outdated|view|info|search|link|rebuild)|yarn|(?:pip3?|uv|poetry|pipenv|conda|mamba) (?:install|add|sync|update|download|lock|pip|tool|run|search|create|env)|cargo (?:add|fetch|update|install|search|vendor|generate-lockfile)|go (?:get|install|mod|work)|(?:mvn|mvnw|gradle|gradlew|composer|bundle|gem|mix|rebar3|stack|cabal|dotnet|nuget|swift|pod|flutter|dart|deno)\b.*)(?: |$)/;

const installsOutside =
  /^(?:(?:npm|pnpm|yarn|bun) .*(?: -g| --global|\blogin|\blogout|\bpublish)\b|(?:npm|pnpm|yarn|bun) (?:login|logout|publish|link)\b|pip3? install .*--user\b|(?:pipx|uv tool|cargo|go|gem) install\b|git config .*--(?:global|system)\b)/;

/** `commands`: those of the line, when they are known. */
export function findNeeds(command: string, { commands } = everyCommand(command)): Needs {
  let access: NetworkAccess = "off";
  let isOutside = false;
  let git: GitAccess | null = null;
  const programs: NeedyProgram[] = [];
  for (const { argv } of commands) {
    const name = programName(argv[0] ?? "");
    const text = [name, ...argv.slice(1)].join(" ");
    const call = name === "git" ? readGitCall(argv.slice(1)) : null;
    if (call) {
      const writes = call.change?.writes ?? (isReadingVerb(call.args) ? "own data" : "any file");
      git = writes === "any file" ? writes : (git ?? writes);
    }
    const leaves =
      outside.has(name) ||
      installsOutside.test(text) ||
      managesVersions.test(text) ||
      (name === "rsync" && /\S:/.test(text)) ||
      call?.change?.isRemote?.(call.args.slice(1)) === true;
    const reaches = /\/dev\/(?:tcp|udp)\//.test(text)
      ? "any"
      : network.has(name) || downloads.test(text)
        ? registryHosts(name, argv.slice(1))
        : "off";
    access = widerAccess(access, reaches);
    isOutside ||= leaves;
    if (leaves || reaches === "any") {
      const givesCode = isGivenCode(argv);
      const named = givesCode ? null : nameProgram(argv);
      programs.push({ name: named, text: argv.join(" "), givesCode });
    }
  }
  if (git === "any file" && !isOutside && !isGitAlone(command)) git = "own data";
  return { network: access, outside: isOutside, git, writable: [], programs };
}

/** Whatever else runs in the line, or is run by git, could write what git may write. */
const isGitAlone = (command: string): boolean =>
  readClearLine(command)?.every(({ words: [first, ...rest] }) => {
    const name = first?.text ?? "";
    return name === "git"
      ? runsOnlyGit(rest.map((word) => word.text))
      : /^(?:cat|cd|echo|grep|head|ls|printf|pwd|tail|true|wc)$/.test(name);
  }) === true;

/** For the question; null when it runs in the sandbox without more. `show`: as paths are shown. */
export function needsInWords(needs: Needs, show: (path: string) => string): string | null {
  const { network, writable, programs } = needs;
  const named = [...new Set(programs.flatMap(({ name }) => name ?? []))];
  if (needs.outside) {
    const because = named.length === 0 ? "" : ` because of ${listed(named)}`;
    return `Runs outside the sandbox${because}: it can use your keys and change any file.`;
  }
  const granted = [
    ...(network === "any"
      ? [
          "It has network access to any host, and to servers and sockets of other programs on this machine.",
        ]
      : []),
    ...(isList(network) ? [`It can reach ${listed(network)}.`] : []),
    ...(writable.length > 0 ? [`It can write to ${listed(writable.map(show))}.`] : []),
  ];
  return granted.length === 0 ? null : ["Runs in the sandbox.", ...granted].join(" ");
}

const isList = (network: NetworkAccess): network is readonly string[] =>
  typeof network !== "string" && network.length > 0;
