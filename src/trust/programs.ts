/** Programs that need what the sandbox hides: keys, sockets, the system, other machines. */

import { resolve } from "node:path";
import { findRemote } from "./git/config.ts";
import { isLocalHost } from "../tools/web/address.ts";
import { hostsOfUrls, isLoopback, registryHosts } from "./hosts.ts";
import { operandsOf, programName, readGit } from "./line/words.ts";
import type { SimpleCommand } from "./line/line.ts";

export type NeedyProgram = {
  /** Rule name, such as "git push"; null: cannot be derived from the words. */
  name: string | null;
  /** The command. */
  text: string;
  /** An option redirects the command to another program or host, or its hosts or hooks are unknown. */
  hasCodeOption: boolean;
};

/** Access that one command needs beyond the sandbox. */
export type ProgramNeeds = {
  outside?: NeedyProgram;
  hosts?: readonly string[];
  /** Hosts are not evident from the words. */
  anyHost?: true;
  /**
   * Only reads from these hosts; unasked if nothing else in the line could use the access. `config`: the user's
   * account.
   */
  free?: { hosts: readonly string[]; config?: string };
};

const outside = new Set(
  (
    "sudo doas su ssh scp sftp ssh-add ssh-keygen gpg pass op gh glab hub docker docker-compose podman buildah kubectl " +
    "helm oc minikube kind terraform tofu pulumi aws gcloud az heroku fly flyctl vercel netlify wrangler firebase " +
    "apt apt-get dpkg dnf yum pacman apk brew snap flatpak port systemctl service launchctl journalctl dmesg crontab " +
    "mount umount open xdg-open code cursor osascript pbcopy pbpaste tmux screen adb xcodebuild xcrun bwrap unshare " +
    "nsenter claude codex gemini mini-claude ncat telnet ping dig nslookup host whois ftp rclone"
  ).split(" "),
);

/** Version managers run tools in the sandbox, and install them outside of it. */
const installsOutside =
  /^(?:(?:npm|pnpm|yarn|bun) .*(?: -g| --global|\blogin|\blogout|\bpublish)\b|(?:npm|pnpm|yarn|bun) (?:login|logout|publish|unpublish|deprecate|owner|link)\b|(?:cargo|gem|poetry|twine) (?:publish|push|upload|yank|owner)\b|pip3? install .*--user\b|(?:pipx|uv tool|cargo|go|gem) install\b|git config .*--(?:global|system)\b|(?:rustup|nvm|fnm|volta|pyenv|rbenv|asdf|mise) (?:i|install|uninstall|use|u|up|upgrade|update|global|default|toolchain|target|component|override|plugin|plugins|pin|self|self-update|trust|settings|config|set)\b|(?:playwright|puppeteer) .*install\b)/s;

/** Package managers download with these verbs. */
const downloads =
  /^(?:(?:npm|pnpm|yarn|bun) (?:i|install|add|ci|update|upgrade|up|create|init|dlx|audit|outdated|view|info|search|rebuild)|yarn$|(?:npx|bunx|pnpx|uvx|pipx)|(?:pip3?|uv|poetry|pipenv) (?:install|add|sync|update|download|lock|pip|tool|search)|cargo (?:add|fetch|update|search|vendor|generate-lockfile)|go (?:get|mod|work)|(?:bundle|gem) (?:install|update|add|exec))(?: |$)/;

/** Programs that do not say which hosts they reach, or do not use a proxy. */
const anywhere =
  /^(?:(?:mvn|mvnw|gradle|gradlew|composer|mix|rebar3|stack|cabal|dotnet|nuget|swift|pod|flutter|dart|conda|mamba)\b(?!.*(?:--version|--help))|deno (?:install|add|cache)\b)/;

/** Programs allowed per subcommand; for some, including the next words. */
const withSubcommands =
  /^(?:git|docker|podman|kubectl|helm|npm|pnpm|yarn|bun|cargo|go|mise|asdf|brew|apt|apt-get|dnf|snap|systemctl|service|launchctl|tmux|terraform|tofu|pulumi|fly|flyctl|vercel|netlify|heroku|wrangler|firebase|make|just|task|dotnet|mix)$/;
const withTwo = /^(?:gh|hub|glab|aws)$|^(?:npm|pnpm|yarn|bun|mise) run$/;
const withThree = /^(?:gcloud|az)$/;

/** One answer covers all reading commands of gh and glab. */
const forgeReading =
  /^(?:(?:pr|mr|issue|run|ci|repo|release|workflow|label|milestone) (?:view|list|ls|status|diff|checks|watch)|search \w+|status)(?: |$)/;

/** Name for session rules; null: cannot be derived from the words. */
export function nameProgram(argv: readonly string[]): string | null {
  const [program = "", first = ""] = argv;
  if (!/^[\w.+-]+$/.test(program)) return null;
  if (/^(?:gh|glab)$/.test(program)) {
    if (readsForge(argv.slice(1))) return `${program} (read only)`;
    if (first === "api") return null;
  }
  // Each host needs its own answer.
  if (/^(?:ssh|sftp)$/.test(program))
    return first.startsWith("-") || first === "" ? null : `${program} ${first}`;
  const depth = withThree.test(program)
    ? 3
    : withTwo.test(program) || withTwo.test(`${program} ${first}`)
      ? 2
      : 1;
  if (depth === 1 && !withSubcommands.test(program)) return program;
  const next = argv.slice(1, depth + 1);
  const end = next.findIndex((word) => !/^[a-z][\w:-]*$/.test(word));
  const verbs = end === -1 ? next : next.slice(0, end);
  return verbs.length > 0 ? [program, ...verbs].join(" ") : null;
}

/** `words`: arguments of gh or glab. */
function readsForge(words: readonly string[]): boolean {
  const text = words.join(" ");
  // jq and template filters could print the token.
  if (/\benv\b|\$ENV/.test(text)) return false;
  return forgeReading.test(text) || (words[0] === "api" && isReadingApi(words.slice(1)));
}

function isReadingApi(args: readonly string[]): boolean {
  const text = args.join(" ");
  const methods = [...text.matchAll(/(?:^| )(?:-\w*X|--method)[ =]?(\S+)/g)];
  if (methods.some(([, method]) => method !== "GET")) return false;
  if (/(?:^| )--(?:input|form)\b|override/i.test(text)) return false;
  // GraphQL queries are also POST requests; mutations change data.
  if (args[0] === "graphql") return !/mutation|=@/i.test(text);
  return !args.some((word) => /^(?:-\w*[fF]|--(?:field|raw-field)\b)/.test(word));
}

/** Words that select another program, configuration file or host. No rule by name covers them. */
const codeOptions: readonly (readonly [programs: RegExp, options: RegExp])[] = [
  [/^git$/, /^ext::/],
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
  [
    /^(?:gh|glab)$/,
    /^(?:--hostname|(?:-\w{0,9}R=?|--repo=?)?(?:\w+:\/\/(?!(?:api\.)?(?:github|gitlab)\.com\/)|[\w.-]+@[\w.-]+:|(?!(?:github|gitlab)\.com\/)[\w-]+(?:\.[\w-]+)+(?::\d+)?\/[^/]+\/[^/]+$))/i,
  ],
  [/^open$/, /^(?:-\w*[ab]|--args)/],
  [/^(?:code|cursor)$/, /^--(?:install|user-data|extensions)/],
  // Accepts abbreviated options, as git does.
  [/^gpg$/, /^--(?:\w+-pr|ho|op|exe|pho)/],
  [/^(?:terraform|tofu|pulumi)$/, /^-{1,2}(?:plugin-dir|chdir|cwd)/],
  [/^(?:gcloud|aws|az)$/, /^--(?:configuration|flags-file|cli-input)/],
  [
    /^tar$/,
    /^(?:-\w*[IF]|--(?:checkpoint-action|to-command|use-compress|info-script|new-volume|rsh))/,
  ],
  [
    /^(?:npm|pnpm|yarn|bun)$/,
    /^--(?:script-shell|prefix|globalconfig|userconfig|node-options|config|preload|cwd|dir)/,
  ],
];

/** Git accepts abbreviated options. */
const gitOptions =
  "--exec --upload-pack --receive-pack --template --git-dir --work-tree --namespace --super-prefix --config --config-env".split(
    " ",
  );

const isGitOption = (word: string): boolean => {
  const [start = ""] = word.split("=");
  return (
    /^--\w/.test(start) &&
    gitOptions.some((name) => name.startsWith(start) || start.startsWith("--exec"))
  );
};

/** Whether an option sets git's configuration, other than to harmless values: most settings could name a program. */
const setsGit = (word: string, setting: string): boolean =>
  /^-\w*c/.test(word) &&
  !(word === "-c" && /^(?:user\.(?:name|email)|color\.\w+|core\.quotepath)=/i.test(setting));

/** Whether an option makes a program run other code or use another host. */
export function hasCodeOption(argv: readonly string[]): boolean {
  const program = programName(argv[0] ?? "");
  if (
    program === "git" &&
    argv.some((word, at) => isGitOption(word) || setsGit(word, argv[at + 1] ?? ""))
  )
    return true;
  const names = [program, `${program} ${argv[1] ?? ""}`];
  return codeOptions.some(
    ([programs, options]) =>
      names.some((name) => programs.test(name)) && argv.some((word) => options.test(word)),
  );
}

const forges = {
  gh: {
    config: ".config/gh",
    hosts: ["github.com", "*.github.com", "*.githubusercontent.com", "*.blob.core.windows.net"],
  },
  glab: { config: ".config/glab-cli", hosts: ["gitlab.com", "*.gitlab.com"] },
} as const;

/** `cwd`: where the line starts. */
export async function needsOf(command: SimpleCommand, cwd: string): Promise<ProgramNeeds> {
  const { argv } = command;
  const args = argv.slice(1);
  const name = programName(argv[0] ?? "");
  const text = [name, ...args].join(" ");
  const leaves = (found: string | null = nameProgram(argv)): ProgramNeeds => {
    const isCode = hasCodeOption(argv);
    return {
      outside: { name: isCode ? null : found, text: argv.join(" "), hasCodeOption: isCode },
    };
  };
  if (installsOutside.test(text)) return leaves();
  if (name === "git") return needsOfGit(command, resolve(cwd, command.cwd), leaves);
  // Expansions could become options or a mutation.
  const isKnown = args[0] !== "api" || command.isLiteral || !/[$`]/.test(text);
  if ((name === "gh" || name === "glab") && isKnown && readsForge(args) && !hasCodeOption(argv))
    return { ...leaves(), free: forges[name] };
  if (outside.has(name) || (name === "rsync" && /\S:/.test(text))) return leaves();
  if (name === "nc") return operandsOf(args).slice(0, 1).every(isLoopback) ? {} : leaves();
  if (/\/dev\/(?:tcp|udp)\//.test(text)) return { anyHost: true };
  if (/^(?:curl|wget|https?|xh)$/.test(name)) return needsOfDownload(args, argv, leaves);
  if (downloads.test(text)) return { hosts: registryHosts(name) ?? [] };
  return anywhere.test(text) ? { anyHost: true } : {};
}

function needsOfDownload(
  args: readonly string[],
  argv: readonly string[],
  leaves: (name: string | null) => ProgramNeeds,
): ProgramNeeds {
  const { hosts, isClear } = hostsOfUrls(args);
  if (!isClear) return {};
  const others = hosts.filter((host) => !isLoopback(host));
  const local = others.find(isLocalHost);
  if (local === undefined) return { hosts: others };
  // The proxy never leads to the local network. Another port is another answer.
  const address = args.flatMap((word) => (/^https?:/i.test(word) ? new URL(word).host : []));
  return leaves(`${argv[0] ?? ""} ${address.join(" ")}`);
}

/** Options and refspecs of git fetch that overwrite or delete the user's own branches and tags. */
const overwritesRefs = /(?:^| )(?:-\w*[fuP]|--(?:fo|up|prune-t|refm|st)|\+|\S*:)/;

async function needsOfGit(
  { argv }: SimpleCommand,
  cwd: string,
  leaves: (name?: string | null) => ProgramNeeds,
): Promise<ProgramNeeds> {
  const { verb, args, folders } = readGit(argv.slice(1));
  const isRemote =
    /^(?:clone|fetch|pull|push|ls-remote|send-email|lfs)$/.test(verb) ||
    (verb === "remote" && /^(?:update|prune|show)$/.test(args[0] ?? "")) ||
    (verb === "submodule" && !/^(?:status|summary|)$/.test(args[0] ?? "")) ||
    (verb === "archive" && args.some((arg) => arg.startsWith("--remote")));
  if (!isRemote) return {};
  const name = folders.length > 0 ? null : `git ${verb}`;
  if (!/^(?:clone|fetch|pull|push|ls-remote)$/.test(verb)) return leaves();
  if (verb === "clone") {
    const { hosts, isClear } = hostsOfUrls(args);
    const isPublic = isClear && !hosts.some(isLocalHost) && !hasCodeOption(argv);
    return isPublic ? { hosts } : leaves(name);
  }
  const hosts = await findRemote(
    folders.reduce((at, to) => resolve(at, to), cwd),
    args,
  );
  // Would run hooks of another folder, or send data to an unknown host.
  if (hosts === null) return { outside: { name: null, text: argv.join(" "), hasCodeOption: true } };
  if (verb === "push" || hosts.length === 0 || hosts.some(isLocalHost) || hasCodeOption(argv))
    return leaves(name);
  // Hooks run after a pull.
  const isFree = verb !== "pull" && !overwritesRefs.test(args.join(" "));
  return { hosts, ...(isFree && { free: { hosts } }) };
}
