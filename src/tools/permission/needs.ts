/**
 * What a command that was approved needs beyond the sandbox. Shown to the user with the question.
 */

import type { GitAccess, NetworkAccess } from "../tool.ts";
import { hostsOf, together } from "./hosts.ts";
import { everyCommand } from "./line/every-command.ts";
import { programName } from "./line/unwrap.ts";

export type Needs = {
  network: NetworkAccess;
  /** Keys, sockets or folders outside of the workspace. */
  outside: boolean;
  /** What git writes; null: it is not run. */
  git: GitAccess | null;
  /** Paths that were asked for. */
  writable: readonly string[];
};

const outside = new Set(
  (
    "sudo doas su ssh scp sftp ssh-add ssh-keygen gpg pass op gh glab hub docker docker-compose podman buildah kubectl " +
    "helm oc minikube kind terraform tofu pulumi aws gcloud az heroku fly flyctl vercel netlify wrangler firebase " +
    "apt apt-get dpkg dnf yum pacman apk brew snap flatpak port systemctl service launchctl journalctl dmesg crontab " +
    "mount umount open xdg-open code cursor osascript pbcopy " +
    "pbpaste tmux screen adb xcodebuild xcrun bwrap unshare nsenter rustup nvm fnm volta pyenv rbenv asdf mise " +
    "playwright puppeteer claude codex gemini mini-claude"
  ).split(" "),
);

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

const gitRemote =
  /^(?:push|pull|fetch|clone|ls-remote|submodule|lfs|archive|remote update|send-email)\b/;
const gitLooks = /^(?:add|commit|status|diff|log|show|blame|grep|ls-files|tag|notes)\b/;

export function needsOf(command: string): Needs {
  const needs: Needs = { network: "off", outside: false, git: null, writable: [] };
  for (const { argv } of everyCommand(command).commands) {
    const name = programName(argv[0] ?? "");
    const text = [name, ...argv.slice(1)].join(" ");
    if (outside.has(name) || installsOutside.test(text)) needs.outside = true;
    if (network.has(name) || downloads.test(text))
      needs.network = together(needs.network, hostsOf(name, argv.slice(1)));
    if (/\/dev\/(?:tcp|udp)\//.test(text)) needs.network = "any";
    if (name === "rsync" && /\S:/.test(text)) needs.outside = true;
    if (name !== "git") continue;
    needs.git ??= "own data";
    const verb = text.replace(/^git(?: -(?:c|C) \S+| --?[\w-]+(?:=\S+)?)* /, "");
    if (gitRemote.test(verb)) needs.outside = true;
    else if (!gitLooks.test(verb)) needs.git = "any file";
  }
  return needs;
}

/** For the question; null when it runs in the sandbox without more. `show`: as paths are shown. */
export function needsInWords(needs: Needs, show: (path: string) => string): string | null {
  if (needs.outside) return "Runs outside the sandbox: it can use your keys and change any file.";
  const { network, writable } = needs;
  const granted = [
    ...(network === "any" ? ["It has network access to any host."] : []),
    ...(isList(network) ? [`It can reach ${listed(network)}.`] : []),
    ...(writable.length > 0 ? [`It can write to ${listed(writable.map(show))}.`] : []),
  ];
  return granted.length === 0 ? null : ["Runs in the sandbox.", ...granted].join(" ");
}

const isList = (network: NetworkAccess): network is readonly string[] =>
  typeof network !== "string" && network.length > 0;

export const listed = (words: readonly string[]): string =>
  words.length < 2 ? words.join("") : `${words.slice(0, -1).join(", ")} and ${words.at(-1) ?? ""}`;
