/**
 * The access that an approved command needs beyond the sandbox. Shown to the user with the question.
 */

import { resolve } from "node:path";
import type { Access, NetworkAccess } from "../tools/tool.ts";
import { findRemoteKind } from "./git/remotes.ts";
import { holds } from "../tools/workspace.ts";
import { listed } from "../base/in-words.ts";
import { registryHosts, widerAccess } from "./hosts.ts";
import {
  isLongOption,
  isReadingVerb,
  readGitCall,
  runningOptions,
  runsOnlyGit,
  type GitAccess,
} from "./git-verbs.ts";
import { everyCommand } from "./line/every-command.ts";
import { readClearLine } from "./line/command-line.ts";
import { programName } from "./line/unwrap.ts";
import type { SessionRule } from "./rules/rules.ts";
import { findSensitivity, type HomeFolders } from "./sensitive.ts";
import type { Situation } from "./verdict.ts";

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
  /** Where it runs, absolute or relative to where the line starts. */
  cwd: string;
};

/** Their subcommands differ so much that they are allowed one by one; of some, the next words, too. */
const withSubcommands =
  /^(?:git|docker|podman|kubectl|helm|npm|pnpm|yarn|bun|cargo|mise|asdf|brew|apt|apt-get|dnf|snap|systemctl|service|launchctl|tmux|terraform|tofu|pulumi|fly|flyctl|vercel|netlify|heroku|wrangler|firebase)$/;
const withTwo = /^(?:gh|hub|glab|aws)$/;
const withThree = /^(?:gcloud|az)$/;

/** One answer covers everything that the tools of GitHub and GitLab read. */
const looksOnly =
  /^(?:(?:pr|mr|issue|run|ci|repo|release|workflow|label|milestone) (?:view|list|ls|status|diff|checks|watch)|search \w+|status)(?: |$)/;

/** Options that send values, so that the service may change something. */
const sends = /^(?:-\w*[fF]|--(?:field|raw-field)\b)/;

/** The name by which a session allows it; null when its words tell none. */
export function nameProgram(argv: readonly string[]): string | null {
  const [program = "", first = ""] = argv;
  if (!/^[\w.+-]+$/.test(program)) return null;
  const depth = withThree.test(program) ? 3 : withTwo.test(program) ? 2 : 1;
  if (/^(?:gh|glab)$/.test(program)) {
    const rest = argv.slice(1);
    if (looksOnly.test(rest.join(" "))) return `${program} (read only)`;
    if (first === "api") return isReadingApi(rest.slice(1)) ? `${program} api (read only)` : null;
  }
  // Another host is another answer.
  if (/^(?:ssh|sftp)$/.test(program)) return first.startsWith("-") ? null : `${program} ${first}`;
  if (depth === 1 && !withSubcommands.test(program)) return program;
  const next = argv.slice(1, depth + 1);
  const end = next.findIndex((word) => !/^[a-z][\w-]*$/.test(word));
  const verbs = end === -1 ? next : next.slice(0, end);
  return verbs.length > 0 ? [program, ...verbs].join(" ") : null;
}

/** A query of GraphQL is sent, too. */
function isReadingApi(args: readonly string[]): boolean {
  const text = args.join(" ");
  const methods = [...text.matchAll(/(?:^| )(?:-\w*X|--method)[ =]?(\S+)/g)];
  if (methods.some(([, method]) => method !== "GET")) return false;
  if (/(?:^| )--(?:input|form)\b|override/i.test(text)) return false;
  // Behind an option, it may be the option's value.
  if (args[0] === "graphql") return !/mutation|=@/i.test(text);
  return !args.some((word) => sends.test(word));
}

/** Words that name a program, or a file of settings that does. Allowing a program says nothing of these. */
const codeOptions: readonly (readonly [programs: RegExp, options: RegExp])[] = [
  [/^git$/, /^(?:-\w*c|--(?:exec-path|git-dir|work-tree|namespace|super-prefix)|ext::)/],
  [/^git clone$/, /^-\w*u/],
  [/^git submodule$/, /^foreach$/],
  [/^git send-email$/, /^--(?:smtp-server|sendmail|to-c|cc-c|header-c)/],
  [/^(?:ssh|scp|sftp)$/, /^-\w*[oFSDP]/],
  [/^rsync$/, /^(?:-\w*[eM]|--(?:rsh|rsync-path|remote-option))/],
  [
    /^(?:kubectl|oc|helm|kind|minikube)$/,
    /^--(?:kubeconfig|post-renderer|registry-config|repository-config)/,
  ],
  [/^(?:docker|docker-compose|podman|buildah)$/, /^--(?:config|identity|hooks-dir|runtime|conmon)/],
  // Another host.
  [
    /^(?:gh|glab)$/,
    /^(?:--hostname|https?:\/\/(?!(?:api\.)?(?:github|gitlab)\.com\/)|(?:-\w{0,9}R=?|--repo=)?(?!(?:github|gitlab)\.com\/)[\w-]+(?:\.[\w-]+)+(?::\d+)?\/[^/]+\/[^/]+$)/,
  ],
  [/^open$/, /^(?:-\w*[ab]|--args)/],
  [/^(?:code|cursor)$/, /^--(?:install|user-data|extensions)/],
  // Like git, it takes the beginning of an option for the whole.
  [/^gpg$/, /^--(?:\w+-pr|ho|op|exe|pho)/],
  [/^(?:terraform|tofu|pulumi)$/, /^-{1,2}(?:plugin-dir|chdir|cwd)/],
  [/^(?:gcloud|aws|az)$/, /^--(?:configuration|flags-file|cli-input)/],
];

const gitRunning = [...runningOptions, "--config", "--config-env"];

function isGivenCode(argv: readonly string[]): boolean {
  const program = programName(argv[0] ?? "");
  if (program === "git" && argv.some((word) => isLongOption(word, gitRunning))) return true;
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
  for (const { argv, cwd } of commands) {
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
      programs.push({ name: named, text: argv.join(" "), givesCode, cwd });
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

export type CommandAccess = Extract<Access, { kind: "command" }>;

/** In words; null when it asks for nothing that the settings do not allow anyway. */
export function beyondInWords(
  { hosts = [], writable = [] }: CommandAccess,
  { rules, workspace }: Situation,
): string | null {
  const asked = hosts.filter((host) => rules.forConnection(host) !== "allow");
  const words = [
    ...(asked.length > 0 ? [`reaching ${listed(asked)}`] : []),
    ...(writable.length > 0
      ? [`writing to ${listed(writable.map((path) => workspace.show(path)))}`]
      : []),
  ];
  return words.length === 0 ? null : words.join(", ");
}

/** System folders, and folders with sockets of other programs. */
const system =
  /^\/(?:$|(?:bin|boot|dev|etc|lib\w*|proc|run|sbin|sys|usr|var\/run|System|Library)(?:\/|$)|(?:tmp|var|var\/tmp|home|Users|opt|srv|mnt|media)$)/;

/** A sentence when a path can never be made writable; `path`: absolute, without symlinks. */
export function whyNeverWritable(path: string, { folders, workspace }: Situation): string | null {
  const isTooMuch =
    system.test(path) ||
    [folders.home, workspace.root, folders.own].some((kept) => holds(path, kept)) ||
    holds(folders.own, path);
  return isTooMuch
    ? `${path} is too broad to be writable in the sandbox; name only what the command writes to.`
    : null;
}

/** A warning for the question. */
export function warningOfWritable(paths: readonly string[], folders: HomeFolders): string | null {
  const kinds = paths.map((path) => findSensitivity(path, folders));
  if (kinds.includes("secret")) return "It may change files that hold secrets.";
  return kinds.includes("effect")
    ? "Other programs run the files that it may change, or read settings from them."
    : null;
}

/** The needs of a command, plus what the model asked for. */
export async function withAsked(
  needs: Needs,
  access: CommandAccess,
  now: Situation,
): Promise<Needs> {
  const { hosts = [], writable = [], outside = false, background = false } = access;
  const network = widerAccess(needs.network, hosts.length > 0 ? hosts : "off");
  return {
    ...needs,
    programs: await Promise.all(needs.programs.map((program) => withRemote(program, now.cwd))),
    outside: needs.outside || outside,
    // Its folder would be open for as long as the command runs.
    git: background && !needs.outside ? null : needs.git,
    // Behind a proxy of the machine, hosts cannot be told apart.
    network: now.usesProxy && network !== "off" ? "any" : network,
    writable,
  };
}

/** Pushing into a folder runs the hooks there; another address was not part of what was allowed. */
async function withRemote(program: NeedyProgram, cwd: string): Promise<NeedyProgram> {
  const [, verb = "", rest = ""] =
    /^git (push|fetch|pull|ls-remote)\b(.*)$/.exec(program.text) ?? [];
  if (verb === "") return program;
  const words = rest.split(" ").filter((word) => word !== "");
  const kind = await findRemoteKind(resolve(cwd, program.cwd), words);
  if (kind === "known") return program;
  const givesCode = program.givesCode || (kind === "folder" && verb === "push");
  return { ...program, name: null, givesCode };
}

/** Access beyond the sandbox that neither a rule nor the user has allowed yet. */
export type Unmet = {
  programs: readonly NeedyProgram[];
  hosts: readonly string[];
  paths: readonly string[];
};

export const nothingUnmet: Unmet = { programs: [], hosts: [], paths: [] };

export const isMet = ({ programs, hosts, paths }: Unmet): boolean =>
  programs.length + hosts.length + paths.length === 0;

/** `doubtful`: the commands of the line that do more than read; null: it is not clear. */
export function unmetNeeds(
  needs: Needs,
  doubtful: readonly string[] | null,
  { rules, tool }: Situation,
): Unmet {
  // The whole line leaves the sandbox with one of its programs.
  const leavesAlone = !needs.outside || isOnly(needs.programs, doubtful);
  const isGranted = ({ name, text, givesCode }: NeedyProgram): boolean =>
    (!givesCode && rules.namesCommand(tool, text)) ||
    (name !== null && rules.grants("beyond", (rule) => rule.programs.includes(name)));
  const hosts = typeof needs.network === "string" ? [] : needs.network;
  return {
    programs: needs.programs.filter((program) => !leavesAlone || !isGranted(program)),
    hosts: hosts.filter(
      (host) =>
        rules.forConnection(host) !== "allow" &&
        !rules.grants("beyond", (rule) => rule.hosts.includes(host)),
    ),
    paths: needs.writable.filter((path) => rules.forPath("write", "Write", path) !== "allow"),
  };
}

const waits = /^sleep [\d.]+[smh]?$/;

/** Nothing else in the line does more than read. */
function isOnly(programs: readonly NeedyProgram[], doubtful: readonly string[] | null): boolean {
  const texts = programs.map(({ text }) => text);
  return doubtful?.every((text) => texts.includes(text) || waits.test(text)) ?? false;
}

/**
 * The rule for the session that a question about these needs offers: only for a clear line, in which
 * nothing else than the named programs would leave the sandbox with them.
 */
export function beyondRule(
  { programs, hosts, paths }: Unmet,
  doubtful: readonly string[] | null,
): SessionRule | null {
  if (paths.length > 0 || programs.length + hosts.length === 0) return null;
  if (programs.length === 0) return { kind: "beyond", hosts, programs: [] };
  const names = programs.flatMap(({ name }) => name ?? []);
  if (doubtful === null || names.length < programs.length) return null;
  return isOnly(programs, doubtful)
    ? { kind: "beyond", hosts, programs: [...new Set(names)] }
    : null;
}
