/** The question before a call that changes something. */

import { Box, Text } from "ink";
import type { Answer } from "../../protocol/command.ts";
import type { Ask } from "../../protocol/event.ts";
import { useLatest } from "../use-latest.ts";
import { highlight } from "../markdown/highlight.ts";
import { useKeys } from "../input.tsx";
import { emptyEditor, type Editor } from "../prompt/editor.ts";
import { editByKey } from "../prompt/keys.ts";
import { sanitise, sanitiseLine } from "../sanitise.ts";
import type { PanelProps } from "../types.ts";
import { fit, wrapAnywhere } from "../wrap.ts";
import { useScrolling } from "./scrolling.ts";

type PermissionProps = PanelProps & {
  ask: Ask;
  /** The person was in the middle of a text when the question came. */
  typing: boolean;
};

export function PermissionDialog({ ask, typing, send, theme, columns, rows }: PermissionProps) {
  // Who types on must not say yes with the next "y" of a word: Tab first says that they have seen it.
  const armed = useLatest(!typing);
  // Kept in cells: what is typed after "n" in the same read belongs to the reason, Enter included.
  const reason = useLatest<Editor | null>(null);
  const detail = detailLines(ask, columns - 2, (code) =>
    highlight(code, ask.detailKind === "diff" ? "diff" : "bash", theme),
  );
  // The title, the question and three choices; and how far the detail is scrolled, when it is long.
  const { warning } = ask;
  const taken = 5 + (warning === undefined ? 0 : 1);
  const room = Math.max(1, rows - taken - (detail.length > rows - taken ? 1 : 0));
  const from = useScrolling(detail.length, room + 2);
  const chosen = useLatest(0);
  const answer = (given: Answer): true => {
    send({ type: "answer", id: ask.id, answer: given });
    return true;
  };
  const choices: { chords: string[]; line: string; take(): true }[] = [
    { chords: ["y", "1"], line: "Yes", take: () => answer({ allow: true, scope: "once" }) },
    ...(ask.rule === null
      ? []
      : [
          {
            chords: ["a", "2"],
            line: `Yes, and for this session: ${sanitiseLine(ask.rule)}`,
            take: () => answer({ allow: true, scope: "session" }),
          },
        ]),
    ...(ask.always === undefined
      ? []
      : [
          {
            chords: [],
            line: `Yes, always: adds ${sanitiseLine(ask.always.rule)} to ${sanitiseLine(ask.always.file)}`,
            take: () => answer({ allow: true, scope: "always" }),
          },
        ]),
    {
      chords: ["n", "3"],
      line: "No, and say why",
      take: () => {
        reason.set(emptyEditor);
        return true;
      },
    },
  ];
  useKeys("dialog", (event) => {
    if (event.type !== "key") return event.type === "paste";
    const { chord, text } = event;
    // The way out of the program stays open.
    if (chord === "ctrl+c") return false;
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
    const step = chord === "up" ? -1 : chord === "down" ? 1 : 0;
    if (step !== 0 && armed.get()) {
      chosen.set(Math.max(0, Math.min(choices.length - 1, chosen.get() + step)));
      return true;
    }
    if (chord === "enter") return choices[chosen.get()]?.take() ?? true;
    const byKey = choices.find(({ chords }) => chords.includes(chord));
    return byKey ? byKey.take() : chord !== "escape" && !isScroll(chord);
  });
  const because = reason.get();
  const question = armed.get()
    ? "Allow it?  ↑ ↓ and Enter, or y, a, n · Esc stops the turn"
    : "Allow it?  You were typing: Tab, then answer · Esc stops the turn";
  const below =
    because === null
      ? choices.map(({ line }, index) => {
          const text = fit(`${index === chosen.get() ? "❯" : " "} ${index + 1}. ${line}`, columns);
          return armed.get() && index === chosen.get() ? theme.paint("selected", text) : text;
        })
      : [
          theme.paint("warning", "No, because: ") +
            sanitiseLine(because.text) +
            theme.paint("selected", " "),
          theme.paint(
            "dim",
            fit("Enter sends it; the model reads your reason. Esc goes back.", columns),
          ),
        ];
  return (
    <Box flexDirection="column" width={columns}>
      <Text wrap="truncate">
        {theme.paint(
          "warning",
          fit(`── ${sanitiseLine(ask.title)} `.padEnd(columns, "─"), columns),
        )}
      </Text>
      {warning === undefined ? null : (
        <Text wrap="truncate">
          {theme.paint("warning", fit(`  Warning: ${sanitiseLine(warning)}`, columns))}
        </Text>
      )}
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
      {because === null ? <Text wrap="truncate">{fit(question, columns)}</Text> : null}
      {below.map((line, index) => (
        <Text key={index} wrap="truncate">
          {line}
        </Text>
      ))}
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
