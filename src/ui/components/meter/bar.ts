/** The bar of the meter, and how cells are divided among what fills them. Pure. */

import type { BudgetState } from "../../../protocol/budget.ts";
import type { Kind } from "../../../context/view/char-count.ts";
import type { Role } from "../../theme.ts";
import type { Forecast } from "../../../context/forecast.ts";
import type { MeterReading } from "../../../context/types.ts";
import type { PermissionMode } from "../../../protocol/permission.ts";

export type Segment = { role: Role; text: string };

export type MeterInput = {
  reading: MeterReading;
  /** Tokens of the answer that is being streamed, not yet in the reading. */
  liveTokens: number;
  /** Tokens of what is typed and not sent. */
  draftTokens: number;
  /** The next compaction. */
  forecast: Forecast;
  /** The next summary is being written in the background. */
  isPreparing: boolean;
  /** The key that previews a summary. */
  compactKey?: string | undefined;
  /** The caps on spending, those first of which most is spent. */
  budget: readonly BudgetState[];
  nowMs: number;
  model: string;
  mode: PermissionMode;
  hasSandbox: boolean;
};

/** The parts of the bar, in order: which kinds they hold, and their color. */
const parts: readonly { kinds: readonly Kind[]; role: Role; sign: string }[] = [
  { kinds: ["system", "tools", "instructions"], role: "meterSystem", sign: "█" },
  { kinds: ["user"], role: "meterUser", sign: "▓" },
  { kinds: ["assistant", "thinking", "toolInputs"], role: "meterAnswers", sign: "█" },
  { kinds: ["toolResults"], role: "meterResults", sign: "▓" },
  { kinds: ["summary"], role: "meterSummary", sign: "█" },
];

const eighths = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"];

/** A part smaller than this, in cells, is drawn as half of one: in a large window it would not be seen. */
const sliverBelow = 0.75;

/**
 * A bar of `width` cells between two edges, stacked by what fills the context, at one scale from an
 * empty window to a full one, with a mark where the next compaction happens.
 */
export function layoutBar(input: MeterInput, width: number): Segment[] {
  const { reading, liveTokens, draftTokens, forecast } = input;
  const { breakdown, effectiveTokens } = reading;
  const scale = width / effectiveTokens;
  const present = parts
    .map(({ kinds, role, sign }) => ({
      role,
      sign,
      tokens:
        kinds.reduce((sum, kind) => sum + breakdown[kind], 0) +
        (role === "meterAnswers" ? liveTokens : 0),
    }))
    .filter(({ tokens }) => tokens > 0);
  const draft = draftTokens === 0 ? 0 : Math.max(1, Math.round(draftTokens * scale));
  const room = width - Math.min(draft, Math.floor(width / 2));
  const large = present.filter(({ tokens }) => tokens * scale >= sliverBelow);
  const largeTokens = large.reduce((sum, { tokens }) => sum + tokens, 0);
  const most = Math.max(0, room - (present.length - large.length));
  const eighthsUsed = Math.min(most * 8, Math.round(largeTokens * scale * 8));
  const cells = Math.min(most, Math.max(large.length, Math.floor(eighthsUsed / 8)));
  const end = cells * 8 < eighthsUsed ? (eighths[eighthsUsed % 8] ?? "") : "";
  const shares = shareCells(large, cells);
  const segments: Segment[] = [{ role: "meterFree", text: "▐" }];
  for (const part of present) {
    const { role, sign } = part;
    const at = large.indexOf(part);
    const last = at === large.length - 1 ? end : "";
    segments.push({ role, text: at < 0 ? "▌" : sign.repeat(shares[at] ?? 0) + last });
  }
  const filled = segments.reduce((sum, { text }) => sum + text.length, -1);
  const drafted = Math.min(draft, width - filled);
  if (drafted > 0) segments.push({ role: "meterUser", text: "▒".repeat(drafted) });
  const mark = Math.floor((forecast.bySize?.atTokens ?? 0) * scale);
  const from = filled + drafted;
  const free = Array.from({ length: width - from }, (_, index) =>
    from + index === mark && mark > 0 ? "╎" : "░",
  );
  segments.push({ role: "meterFree", text: `${free.join("")}▌` });
  return segments;
}

/** Divides cells by size; each part gets at least one while there are enough. */
export function shareCells(sized: readonly { tokens: number }[], cells: number): number[] {
  const total = Math.max(
    1,
    sized.reduce((sum, { tokens }) => sum + tokens, 0),
  );
  const least = cells >= sized.length ? 1 : 0;
  const spare = cells - least * sized.length;
  let tokens = 0;
  let given = 0;
  return sized.map((part) => {
    tokens += part.tokens;
    const until = Math.round((tokens / total) * spare);
    const own = least + until - given;
    given = until;
    return own;
  });
}
