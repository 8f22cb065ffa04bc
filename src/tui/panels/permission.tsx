/** The question before a call that changes something. */

import { Box, Text } from "ink";
import type { Answer } from "../../protocol/command.ts";
import type { Ask } from "../../protocol/event.ts";
import { useCell } from "../cell.ts";
import { highlight } from "../markdown/highlight.ts";
import { useKeys } from "../input.tsx";
import { emptyEditor, type Editor } from "../prompt/editor.ts";
import { editByKey } from "../prompt/keys.ts";
import { sanitise, sanitiseLine } from "../sanitise.ts";
import type { PartProps } from "../types.ts";
import { fit, wrapAnywhere } from "../wrap.ts";
import { useScrolling } from "./scrolling.ts";

type Props = PartProps & {
  ask: Ask;
  /** The person was in the middle of a text when the question came. */
  typing: boolean;
};

export function PermissionDialog({ ask, typing, send, theme, columns, rows }: Props) {
  // Who types on must not say yes with the next "y" of a word: Tab first says that they have seen it.
  const armed = useCell(!typing);
  // Kept in cells: what is typed after "n" in the same read belongs to the reason, Enter included.
  const reason = useCell<Editor | null>(null);
  const detail = detailLines(ask, columns - 2, (code) =>
    highlight(code, ask.detailKind === "diff" ? "diff" : "bash", theme),
  );
  const room = Math.max(1, rows - 4);
  const from = useScrolling(detail.length, room + 2);
  const answer = (given: Answer): true => {
    send({ type: "answer", id: ask.id, answer: given });
    return true;
  };
  useKeys("dialog", (event) => {
    if (event.type !== "key") return event.type === "paste";
    const { chord, text } = event;
    if (!armed.get() && chord !== "escape" && !isScroll(chord)) {
      armed.set(chord === "tab");
      return true;
    }
    const because = reason.get();
    if (because !== null) {
      const words = because.text.trim();
      if (chord === "enter")
        return answer({ allow: false, ...(words === "" ? {} : { reason: words }) });
      reason.set(chord === "escape" ? null : (editByKey(because, chord, text) ?? because));
      return true;
    }
    if (chord === "y" || chord === "1") return answer({ allow: true, scope: "once" });
    if (chord === "a" || chord === "2") return answer({ allow: true, scope: "session" });
    if (chord === "n" || chord === "3") reason.set(emptyEditor);
    return chord !== "escape" && !isScroll(chord);
  });
  const because = reason.get();
  const question = armed.get()
    ? "Allow it?  [y] yes   [n] no, and say why   [Esc] stop the turn"
    : "Allow it?  You were typing: [Tab], then answer   [Esc] stop the turn";
  return (
    <Box flexDirection="column" width={columns}>
      <Text wrap="truncate">
        {theme.paint(
          "warning",
          fit(`── ${sanitiseLine(ask.title)} `.padEnd(columns, "─"), columns),
        )}
      </Text>
      {detail.slice(from, from + room).map((line, index) => (
        <Text key={from + index} wrap="truncate">{`  ${line}`}</Text>
      ))}
      {detail.length > room ? (
        <Text wrap="truncate">
          {theme.paint(
            "dim",
            `  ${from + 1}-${Math.min(detail.length, from + room)} of ${detail.length} lines, PgUp/PgDn`,
          )}
        </Text>
      ) : null}
      <Text wrap="truncate">
        {because === null
          ? fit(question, columns)
          : theme.paint("warning", "No, because: ") +
            sanitiseLine(because.text) +
            theme.paint("selected", " ")}
      </Text>
      <Text wrap="truncate">
        {theme.paint(
          "dim",
          fit(
            because === null
              ? `[a] yes, and for this session: ${sanitiseLine(ask.rule)}`
              : "Enter sends it; the model reads your reason. Esc goes back.",
            columns,
          ),
        )}
      </Text>
    </Box>
  );
}

const isScroll = (chord: string): boolean =>
  ["up", "down", "pageup", "pagedown", "home", "end"].includes(chord);

function detailLines(ask: Ask, width: number, paint: (code: string) => string[]): string[] {
  const text = sanitise(ask.detail).trimEnd();
  if (text === "") return [];
  const lines = ask.detailKind === "text" ? text.split("\n") : paint(text);
  return lines.flatMap((line) => wrapAnywhere(line, width));
}
