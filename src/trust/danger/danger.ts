/**
 * Finds what a command could destroy beyond repair. This catches mistakes, even in a line that is not
 * clear; a line that hides its purpose deliberately is left to the sandbox.
 */

import { everyCommand, type FoundCommand } from "../line/every-command.ts";
import { maxLineChars } from "../line/command-line.ts";
import { programName } from "../line/unwrap.ts";
import { gitLoss } from "../git-verbs.ts";
import { fileLoss, isDisk, type Home } from "./removal.ts";
import { asked, hasOption, listOperands, refused, type Danger } from "./level.ts";

/** In programs of other languages and by the name of the script. */
const forkBombs = [
  /\bfork\s{1,9}while\b|\bloop\s{0,9}[{(]\s{0,9}fork\b|\bwhile\b[^;]{0,40}\bfork\b/,
  /\bwhile\s{1,9}(?:true|:|1)\s{0,9};\s{0,9}do\s{1,9}(?:"?\$0"?|\.\/\S{1,80})\s{0,9}&/,
  /^\s{0,9}"?\$0"?\s{0,9}[|&]\s{0,9}"?\$0"?\s{0,9}&/m,
];

/** `found`: the commands of the line, when they are known. */
export function findDanger(
  line: string,
  cwd: string,
  home: Home,
  found = everyCommand(line, cwd),
): Danger | null {
  const read = line.slice(0, maxLineChars);
  const { commands, multiplies, isWhole } = found;
  if (multiplies || forkBombs.some((bomb) => bomb.test(read))) {
    return refused("starts copies of itself until the machine stops (fork bomb)");
  }
  const dangers = commands.flatMap((command) => listDangers(command, home));
  if (!isWhole)
    dangers.push({ ...asked("is too long or nested too deeply to be checked"), isFinal: true });
  return (
    dangers.find(({ level }) => level === "refused") ??
    dangers.find(({ isFinal }) => isFinal) ??
    dangers[0] ??
    null
  );
}

function listDangers(command: FoundCommand, home: Home): Danger[] {
  const [first = "", ...args] = command.argv;
  const name = programName(first);
  return [
    fileLoss(name, args, command, home),
    machineEnd(name, args),
    name === "git" ? gitLoss(args) : null,
    warningFor(name, args),
  ].filter((danger) => danger !== null);
}

const stops = refused("stops or restarts the machine");
const formats = refused("formats or erases a disk");

const stoppers = /^(?:shutdown|reboot|halt|poweroff)$/;
const stoppingVerbs = /^(?:poweroff|reboot|halt|kexec|suspend|hibernate|rescue|emergency|isolate)$/;
const killers = /^(?:kill|pkill|killall|skill|killall5)$/;
const diskTools =
  /^(?:wipefs|blkdiscard|sgdisk|sfdisk|fdisk|parted|hdparm|nvme|badblocks|mdadm|cryptsetup)$/;
const formatters = /^(?:mkfs(?:\..*)?|mkswap|mke2fs|newfs.*|pvremove|vgremove|lvremove)$/;

function machineEnd(name: string, args: readonly string[]): Danger | null {
  const [verb = ""] = listOperands(args);
  if (stoppers.test(name)) return stops;
  if (formatters.test(name)) return formats;
  if (killers.test(name))
    return endsAll(name, args)
      ? refused("kills every process")
      : asked("kills processes, possibly not only its own");
  if (diskTools.test(name))
    return args.some(isDisk) && !hasOption(args, "l", "--list", "--print") ? formats : null;
  switch (name) {
    case "init":
    case "telinit":
      return /^[06]$/.test(verb) ? stops : null;
    case "systemctl":
    case "loginctl":
      return stoppingVerbs.test(verb) ? stops : asked("controls system services");
    case "zpool":
    case "zfs":
      return verb === "destroy" ? formats : null;
    case "diskutil":
      return /^(?:erase|partition|zero|secureErase|reformat)/i.test(verb) ? formats : null;
    case "format":
    case "format.com":
      return /^[a-z]:/i.test(verb) ? formats : null;
    case "sysctl":
      return args.some((arg) => /kernel\.(?:panic|sysrq)/.test(arg)) ? stops : null;
    default:
      return null;
  }
}

function endsAll(name: string, args: readonly string[]): boolean {
  if (name === "killall5") return true;
  if (name === "kill" || name === "skill") {
    const targets = args.filter(
      (arg, at) =>
        arg === "-1" && (at > 0 || args.length === 1) && !/^-[sn]$/.test(args[at - 1] ?? ""),
    );
    return targets.length > 0 || (args.at(-1) === "1" && args.length > 1);
  }
  return (
    listOperands(args).some((pattern) =>
      /^(?:\.\*?|\^?\.|\*|init|systemd|launchd)$/.test(pattern),
    ) || hasOption(args, "", "-u root")
  );
}

/** Programs, what their arguments look like, why that is asked about, and what has to follow. */
const warnings: [programs: string, args: RegExp, why: string, later?: RegExp][] = [
  ["docker podman", /\b(?:prune|rmi|rm|kill|volume rm)\b/, "deletes containers, images or volumes"],
  // Two expressions: one with `.*` would look for the end of the line again after each "down".
  ["docker podman docker-compose", /\bdown\b/, "deletes containers and volumes", /-v|--volumes/],
  [
    "kubectl oc helm",
    /\b(?:delete|drain|uninstall|rollback|scale|replace)\b/,
    "changes or deletes what runs in a cluster",
  ],
  [
    "terraform tofu pulumi cdk serverless sls",
    /\b(?:destroy|apply|up|deploy|remove)\b/,
    "changes or deletes infrastructure",
  ],
  [
    "aws gcloud az heroku fly flyctl doctl",
    /\b(?:rm|rb|delete\S*|terminate\S*|destroy\S*|remove\S*|deregister\S*|purge)\b/,
    "deletes resources in the cloud",
  ],
  [
    "gh",
    /\b(?:delete|archive|close|merge|revoke)\b|(?:-\w*X|--method)[\s=]*(?:DELETE|PUT|PATCH|POST)/i,
    "changes or deletes things on GitHub",
  ],
  [
    "npm pnpm yarn bun cargo gem twine poetry",
    /^(?:unpublish|publish|yank|push|upload|deprecate|owner)\b/,
    "publishes or unpublishes a package",
  ],
  [
    "psql mysql mariadb sqlite sqlite3 mongo mongosh redis-cli cockroach clickhouse-client",
    /\b(?:drop|truncate|delete\s+from|dropDatabase|flushall|flushdb|deleteMany)\b/i,
    "deletes data in a database",
  ],
  ["dropdb dropuser mysqladmin", /^/, "deletes a database"],
  [
    "rails rake prisma artisan manage.py sequelize knex alembic",
    /db:(?:drop|reset|purge|migrate:reset)|migrate reset|migrate:fresh|flush|db push --force|downgrade/,
    "deletes data in a database",
  ],
  ["userdel deluser groupdel passwd usermod visudo chpasswd", /^/, "changes user accounts"],
  [
    "iptables ip6tables nft ufw route ifconfig ip",
    /-F|flush|delete|disable|down|\bdel\b|reset/i,
    "changes the machine's network",
  ],
  ["crontab", /^(?!-l$)/, "changes scheduled jobs"],
  ["mount umount swapoff losetup insmod rmmod modprobe", /\S/, "changes disks or the kernel"],
  [
    "apt apt-get dnf yum pacman zypper apk brew snap",
    /\b(?:remove|purge|autoremove|erase|uninstall|-R\w*|del)\b/,
    "removes software from the machine",
  ],
  [
    "service launchctl rc-service",
    /\b(?:stop|restart|unload|remove|bootout)\b/,
    "controls system services",
  ],
  ["history", /-[cw]/, "deletes the shell's history"],
  ["chmod", /\b0?777\b|[+=]s|\b[2467]\d{3}\b/, "gives other users access (chmod)"],
];

function warningFor(name: string, args: readonly string[]): Danger | null {
  const text = args.join(" ");
  const found = warnings.find(([programs, pattern, , later]) => {
    const at = programs.split(" ").includes(name) ? text.search(pattern) : -1;
    return at !== -1 && (!later || later.test(text.slice(at)));
  });
  return found ? asked(found[2]) : null;
}
