/** A command with its arguments, as parts of the message that is sent. */

type PromptPart =
  | { kind: "text"; text: string }
  /** The output of this shell command. */
  | { kind: "shell"; command: string };

const shell = /!`([^`\n]+)`/g;

/**
 * Puts the arguments into a text: `$ARGUMENTS` is all of them, `$0` and `$ARGUMENTS[0]` the first.
 * If none is named, they follow the text. Only the text itself can hold commands, the arguments
 * cannot.
 */
export function expandPrompt(body: string, argumentText: string): PromptPart[] {
  const words = splitArguments(argumentText);
  let isUsed = false;
  const fill = (text: string): string =>
    text.replace(/\$ARGUMENTS\[(\d+)\]|\$ARGUMENTS\b|\$(\d+)\b/g, (_, index, position) => {
      isUsed = true;
      const at: unknown = index ?? position;
      return at === undefined ? argumentText : (words[Number(at)] ?? "");
    });
  const parts: PromptPart[] = [];
  let from = 0;
  for (const match of body.matchAll(shell)) {
    parts.push({ kind: "text", text: fill(body.slice(from, match.index)) });
    parts.push({ kind: "shell", command: fill(match[1] ?? "") });
    from = match.index + match[0].length;
  }
  parts.push({ kind: "text", text: fill(body.slice(from)) });
  if (!isUsed && argumentText !== "")
    parts.push({ kind: "text", text: `\n\nARGUMENTS: ${argumentText}` });
  return parts.filter((part) => part.kind === "shell" || part.text !== "");
}

/** Words, of which quoted ones may hold spaces. */
export const splitArguments = (text: string): string[] =>
  [...text.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)].map(
    ([, double, single, plain]) => double ?? single ?? plain ?? "",
  );
