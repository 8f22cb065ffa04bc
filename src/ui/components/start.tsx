import { Box } from "ink";
import type { ReactNode } from "react";
import { ago, counted } from "../../base/in-words.ts";
import type { KeyMap } from "../../config/keys.ts";
import { showGit } from "../folder-facts.ts";
import {
  besideOrBelow,
  firstThatFits,
  fit,
  fitLine,
  type Line,
  rowColumns,
  span,
  toSpans,
  spreadLine,
} from "../line.ts";
import { sanitizeLine } from "../sanitize.ts";
import type { Shared } from "../shared.ts";
import { useScreen } from "../screen-context.ts";
import { homePath, shortTokens, showBytes } from "../transcript/format.ts";
import type { LatestSession } from "../types.ts";
import { LineTexts } from "./line.tsx";

/** An empty session: where you are, the last session here, things to try. */
export function Start(): ReactNode {
  const rows = useScreen((_, { start }) => start);
  const lines = useScreen((screen, { columns }) => (rows === 0 ? [] : startLines(screen, columns)));
  if (rows === 0) return null;
  return (
    <Box
      flexDirection="column"
      height={rows}
      paddingTop={1}
      flexShrink={0}
      overflow="hidden"
      aria-hidden
    >
      <LineTexts lines={lines} />
    </Box>
  );
}

const tries = ["what is this project?", "run the tests", "list the files"];

const headingColumns = 14;

type Parts = Pick<Shared, "store" | "services" | "session" | "folder" | "keys">;

export function startLines(parts: Parts, screenColumns: number): Line[] {
  const columns = Math.min(screenColumns, rowColumns);
  const { store, services, session, folder, keys } = parts;
  const { state, reading, nowMs } = store;
  if (state.path.length > 0) return [];
  const { git, latest, instructions, commands } = folder;
  const servers = services.mcp?.servers().length ?? 0;
  const name = [span("strong", "mini-claude"), " ", span("dim", session.version)];
  const answering = `${sanitizeLine(state.model)} · ${shortTokens(reading.effectiveTokens)} tokens`;
  const where = [sanitizeLine(homePath(session.cwd)), ...(git ? [showGit(git)] : [])].join("   ");
  const applies = [
    ...instructions.map(sanitizeLine),
    ...(commands === 0 ? [] : [counted(commands, "command")]),
    ...(servers === 0 ? [] : [counted(servers, "MCP server")]),
  ].join(" · ");
  const row = (heading: string, text: Line): Line =>
    fitLine([span("accent", heading.padEnd(headingColumns)), ...toSpans(text)], columns);
  return [
    ...besideOrBelow(name, span("dim", answering), columns),
    ...besideOrBelow(where, span("dim", applies), columns),
    "",
    ...(latest
      ? [
          row(
            latest.isHomeless ? "Was renamed?" : "Last here",
            lastHere(latest, nowMs, columns - headingColumns),
          ),
        ]
      : []),
    row("Try", joinFitting(tries, "  ·  ", columns - headingColumns)),
    row("Keys", joinFitting(listKeys(keys), "    ", columns - headingColumns)),
  ];
}

const listKeys = (keys: KeyMap): string[] => [
  "? all keys",
  ...(["commands", "context", "compact", "mode"] as const).flatMap((action) => {
    const key = keys.describeKey(action);
    return key === "" ? [] : [`${key} ${action}`];
  }),
];

/** As many of the parts as fit. */
const joinFitting = (parts: readonly string[], separator: string, columns: number): string =>
  firstThatFits(
    parts.map((_, cut) => parts.slice(0, parts.length - cut).join(separator)),
    columns,
  );

/** Columns that a title keeps before its size is left out. */
const minTitle = 16;

function lastHere(
  { title, turns, bytes, at, cwd, isHomeless }: LatestSession,
  nowMs: number,
  columns: number,
): Line {
  const size = ` · ${turns === null ? showBytes(bytes) : counted(turns, "turn")}`;
  const age = ` · ${ago(nowMs - (Date.parse(at) || nowMs))}`;
  const hint = isHomeless ? "/resume continues it here" : "/resume opens it";
  const rest = isHomeless || columns - size.length - age.length < minTitle ? age : size + age;
  const from = isHomeless ? `${sanitizeLine(homePath(cwd))} · ` : "";
  const name = from + (sanitizeLine(title) || "(no title)");
  const line = fit(name, Math.max(minTitle, columns - rest.length)) + rest;
  return Bun.stringWidth(line) + hint.length + 3 <= columns
    ? spreadLine(line, span("dim", hint), columns)
    : line;
}
