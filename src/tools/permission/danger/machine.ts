/** Commands that stop the machine, format its disks or end all that runs on it. */

import { asked, refused, type Danger } from "./level.ts";
import { hasOption, listOperands } from "./options.ts";
import { isDisk } from "./system-paths.ts";

const stops = refused("stops or restarts the machine");
const formats = refused("formats or erases a disk");

const stoppers = /^(?:shutdown|reboot|halt|poweroff)$/;
const stoppingVerbs = /^(?:poweroff|reboot|halt|kexec|suspend|hibernate|rescue|emergency|isolate)$/;
const killers = /^(?:kill|pkill|killall|skill|killall5)$/;
const diskTools =
  /^(?:wipefs|blkdiscard|sgdisk|sfdisk|fdisk|parted|hdparm|nvme|badblocks|mdadm|cryptsetup)$/;
const formatters = /^(?:mkfs(?:\..*)?|mkswap|mke2fs|newfs.*|pvremove|vgremove|lvremove)$/;

export function machineEnd(name: string, args: readonly string[]): Danger | null {
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
