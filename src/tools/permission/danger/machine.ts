/** Commands that stop the machine, format its disks or end all that runs on it. */

import { asked, refused, type Danger } from "./level.ts";
import { hasOption, operandsOf } from "./options.ts";
import { isDisk } from "./system-paths.ts";

const stops = refused("stops or restarts the machine");
const formats = refused("formats or erases a disk");

export function machineEnd(name: string, args: readonly string[]): Danger | null {
  const operands = operandsOf(args);
  const [verb = ""] = operands;
  switch (name) {
    case "shutdown":
    case "reboot":
    case "halt":
    case "poweroff":
      return stops;
    case "init":
    case "telinit":
      return /^[06]$/.test(verb) ? stops : null;
    case "systemctl":
    case "loginctl":
      return /^(?:poweroff|reboot|halt|kexec|suspend|hibernate|rescue|emergency|isolate)$/.test(
        verb,
      )
        ? stops
        : asked("controls services of the system");
    case "kill":
    case "pkill":
    case "killall":
    case "skill":
    case "killall5":
      return endsAll(name, args)
        ? refused("ends every process")
        : asked("ends processes, possibly others than its own");
    case "wipefs":
    case "blkdiscard":
    case "sgdisk":
    case "sfdisk":
    case "fdisk":
    case "parted":
    case "hdparm":
    case "nvme":
    case "badblocks":
    case "mdadm":
    case "cryptsetup":
      return args.some(isDisk) && !hasOption(args, "l", "--list", "--print") ? formats : null;
    case "pvremove":
    case "vgremove":
    case "lvremove":
    case "zpool":
    case "zfs":
      return /^(?:zpool|zfs)$/.test(name) && verb !== "destroy" ? null : formats;
    case "diskutil":
      return /^(?:erase|partition|zero|secureErase|reformat)/i.test(verb) ? formats : null;
    case "format":
    case "format.com":
      return /^[a-z]:/i.test(verb) ? formats : null;
    case "sysctl":
      return args.some((arg) => /kernel\.(?:panic|sysrq)/.test(arg)) ? stops : null;
    default:
      return /^mkfs(?:\.|$)|^mkswap$|^mke2fs$|^newfs/.test(name) ? formats : null;
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
    operandsOf(args).some((pattern) => /^(?:\.\*?|\^?\.|\*|init|systemd|launchd)$/.test(pattern)) ||
    hasOption(args, "", "-u root")
  );
}
