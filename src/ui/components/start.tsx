import { Box, Text } from "ink";
import type { ReactNode } from "react";
import { ago, counted } from "../../base/format.ts";
import { showGit } from "../folder-facts.ts";
import { rowColumns } from "../painted-text.ts";
import { useColumns } from "../look.ts";
import { sanitizeLine } from "../sanitize.ts";
import { useScreen } from "../screen-context.ts";
import type { Shared } from "../shared.ts";
import { homePath, shortTokens } from "../transcript/format.ts";
import type { LatestSession } from "../types.ts";
import { Styled } from "./styled.tsx";

/** Start screen of an empty session: folder, latest session, suggestions. */
export function Start(): ReactNode {
  const rows = useScreen((_, { start }) => start);
  const facts = useScreen((parts) => (rows === 0 ? null : startFacts(parts)));
  const columns = Math.min(useColumns(), rowColumns);
  if (facts === null) return null;
  const { version, answering, where, applies, latest, keys } = facts;
  return (
    <Box
      flexDirection="column"
      width={columns}
      height={rows}
      paddingTop={1}
      flexShrink={0}
      overflow="hidden"
      aria-hidden
    >
      <Sides>
        <Text wrap="truncate">
          <Styled role="strong">{product}</Styled> <Styled role="dim">{version}</Styled>
        </Text>
        <Styled role="dim">{answering}</Styled>
      </Sides>
      <Sides>
        <Text wrap="truncate">{where}</Text>
        <Styled role="dim">{applies}</Styled>
      </Sides>
      <Box height={1} flexShrink={0} />
      {latest && (
        <Row heading={latest.hint === resumeHere ? "Last here" : "Was renamed?"}>
          <Box maxWidth={Math.max(1, columns - headingColumns - latest.age.length)}>
            <Text wrap="truncate">{latest.title}</Text>
          </Box>
          <Text wrap="truncate">{latest.age}</Text>
          <Text wrap="truncate">{latest.size}</Text>
          <Styled role="dim">{latest.hint}</Styled>
        </Row>
      )}
      <Row heading="Try">
        {tries.map((text, index) => (
          <Text key={text} wrap="truncate">
            {index === 0 ? text : `  ·  ${text}`}
          </Text>
        ))}
      </Row>
      <Row heading="Keys" gap={4}>
        {keys.map((text) => (
          <Text key={text} wrap="truncate">
            {text}
          </Text>
        ))}
      </Row>
    </Box>
  );
}

type RowProps = { heading: string; gap?: number; children: ReactNode };

/** A heading and as many texts as fit in one row; the rest wrap into clipped rows. */
const Row = ({ heading, gap = 0, children }: RowProps): ReactNode => (
  <Box height={1} flexShrink={0} overflow="hidden">
    <Box width={headingColumns} flexShrink={0}>
      <Styled role="accent">{heading}</Styled>
    </Box>
    <Box flexWrap="wrap" flexGrow={1} flexBasis={0} columnGap={gap}>
      {children}
    </Box>
  </Box>
);

/** Two texts at the ends of a row, or below each other where they do not fit. */
const Sides = ({ children }: { children: ReactNode }): ReactNode => (
  <Box flexWrap="wrap" flexShrink={0} justifyContent="space-between" columnGap={2}>
    {children}
  </Box>
);

const product = "mini-claude";

const tries = ["what is this project?", "run the tests", "list the files"];

const headingColumns = 14;

const resumeHere = "   /resume opens it";

type Parts = Pick<Shared, "store" | "services" | "session" | "folder" | "keys">;

/** The facts on the start screen; null: the session is not empty. */
function startFacts({ store, services, session, folder, keys }: Parts) {
  const { state, reading, nowMs } = store;
  if (state.path.length > 0) return null;
  const { git, latest, instructions, ownCommands: commands } = folder;
  const servers = services.mcp?.servers().length ?? 0;
  const named = (["commands", "context", "compact", "mode"] as const).flatMap((action) => {
    const key = keys.describeKey(action);
    return key === "" ? [] : [`${key} ${action}`];
  });
  return {
    version: session.version,
    answering: `${sanitizeLine(state.model)} · ${shortTokens(reading.effectiveTokens)} tokens`,
    where: [sanitizeLine(homePath(session.cwd)), ...(git ? [showGit(git)] : [])].join("   "),
    applies: [
      ...instructions.map(sanitizeLine),
      ...(commands === 0 ? [] : [counted(commands, "command")]),
      ...(servers === 0 ? [] : [counted(servers, "MCP server")]),
    ].join(" · "),
    latest: latest && latestFacts(latest, nowMs),
    keys: ["? all keys", ...named],
  };
}

function latestFacts({ title, turns, at, cwd, isHomeless }: LatestSession, nowMs: number) {
  const from = isHomeless ? `${sanitizeLine(homePath(cwd))} · ` : "";
  return {
    title: from + (sanitizeLine(title) || "(no title)"),
    age: ` · ${ago(nowMs - (Date.parse(at) || nowMs))}`,
    size: isHomeless || turns === null ? "" : ` · ${counted(turns, "turn")}`,
    hint: isHomeless ? "   /resume continues it" : resumeHere,
  };
}

/** The most that they take: names below each other where the screen is narrow. */
const mostRows = 8;

export const startRows = ({ store }: Pick<Shared, "store">): number =>
  store.state.path.length > 0 ? 0 : mostRows;
