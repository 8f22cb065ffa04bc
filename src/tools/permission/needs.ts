/** What a command that was approved needs beyond the sandbox. Told to the user with the question. */

import { everyCommand } from "./line/every-command.ts";
import { programName } from "./line/unwrap.ts";

export type Needs = {
  network: boolean;
  /** Keys, sockets or folders outside of the workspace, or the processes of the machine. */
  outside: boolean;
  /** git changes its configuration, or files of the working tree of any kind. */
  git: boolean;
};

const outside = new Set(
  (
    "sudo doas su ssh scp sftp ssh-add ssh-keygen gpg pass op gh glab hub docker docker-compose podman buildah kubectl " +
    "helm oc minikube kind terraform tofu pulumi aws gcloud az heroku fly flyctl vercel netlify wrangler firebase " +
    "apt apt-get dpkg dnf yum pacman apk brew snap flatpak port systemctl service launchctl journalctl dmesg crontab " +
    "mount umount kill pkill killall ps top htop lsof ss netstat pgrep open xdg-open code cursor osascript pbcopy " +
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
  const needs: Needs = { network: false, outside: false, git: false };
  for (const { argv } of everyCommand(command).commands) {
    const name = programName(argv[0] ?? "");
    const text = [name, ...argv.slice(1)].join(" ");
    if (outside.has(name) || installsOutside.test(text)) needs.outside = true;
    if (network.has(name) || downloads.test(text)) needs.network = true;
    if (/\/dev\/(?:tcp|udp)\//.test(text)) needs.network = true;
    if (name === "rsync" && /\S:/.test(text)) needs.outside = true;
    if (name !== "git") continue;
    const verb = text.replace(/^git(?: -(?:c|C) \S+| --?[\w-]+(?:=\S+)?)* /, "");
    if (gitRemote.test(verb)) needs.outside = true;
    else if (!gitLooks.test(verb)) needs.git = true;
  }
  return needs;
}

/** For the question; null when it runs in the sandbox without more. */
export function needsInWords({ outside: leaves, network: reaches }: Needs): string | null {
  if (leaves) return "Runs outside the sandbox: it can use your keys and change any file.";
  return reaches ? "Runs in the sandbox with network access." : null;
}
