import type { ImageBlock } from "../protocol/block.ts";
import { runCommand } from "./commands.ts";
import type { Host } from "./host.ts";

export type SubmitHost = Parameters<typeof runCommand>[1] & Pick<Host, "userCommands">;

/** A note: `# use tabs`, but no heading of a longer text. */
const note = /^#(?!#)\s*(\S.*)$/;

/** Does what was entered: a shell command, a note, a command, or a message. */
export function submit(host: SubmitHost, text: string, images: readonly ImageBlock[]): void {
  const { send } = host;
  if (text.startsWith("!")) return send({ type: "shell", command: text.slice(1).trim() });
  const [, noted] = images.length === 0 ? (note.exec(text) ?? []) : [];
  if (noted !== undefined) {
    send({ type: "remember", note: noted });
    return host.flash("Added to the notes on this folder; /memory opens them.");
  }
  if (text.startsWith("/") && runCommand(text, host)) return;
  const words = text === "" ? [] : [{ type: "text" as const, text }];
  const sendMessage = (): void => send({ type: "prompt", content: [...images, ...words] });
  if (!text.startsWith("/")) return sendMessage();
  void host.userCommands.canSend(text).then((canSend) => {
    if (canSend) sendMessage();
    else host.flash(`Unknown command ${text}; /help lists them.`);
  });
}
