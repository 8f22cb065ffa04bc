/** `mini-claude help`: how the command line is used, or a topic of the manual. */

import { fitHelp } from "../base/fit.ts";
import { helpText } from "../config/help.ts";
import { orUsageError } from "../config/usage-error.ts";
import type { SubcommandIo } from "../config/subcommands.ts";
import { findTopic } from "../docs/topics.ts";
import { layoutTopic } from "../ui/markdown/topic.ts";

export const help = "mini-claude help [TOPIC]   how it is used, or a topic of the manual\n";

const maxColumns = 100;

/** A terminal gets lines of its width, a pipe Markdown. Throws `UsageError` for an unknown topic. */
export function run([wanted]: readonly string[], { out }: Pick<SubcommandIo, "out">): number {
  if (wanted === undefined) {
    out(fitHelp(helpText));
    return 0;
  }
  const { text } = orUsageError(() => findTopic(wanted));
  const { isTTY, columns } = process.stdout;
  out(isTTY ? `${layoutTopic(text, Math.min(columns || 80, maxColumns)).join("\n")}\n` : text);
  return 0;
}
