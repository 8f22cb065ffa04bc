import type { Job } from "../../print/shape.ts";
import { textOf, type UserBlock } from "../../protocol/block.ts";

/** A message of the user as a job: `/compact` is a command, all else a prompt. */
export function jobOf(content: UserBlock[], uuid?: string): Job {
  const [command, focus = ""] = /^\/compact(?:\s+(\S.*))?\s*$/s.exec(textOf(content)) ?? [];
  if (command !== undefined) return { kind: "compact", ...(focus === "" ? {} : { focus }) };
  return { kind: "prompt", content, ...(uuid === undefined ? {} : { uuid }) };
}
