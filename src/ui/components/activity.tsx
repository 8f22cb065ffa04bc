import { Box } from "ink";
import type { ReactNode } from "react";
import { takeEnd } from "../../base/clip.ts";
import { counted } from "../../base/format.ts";
import { answerTokens } from "./meter/live.ts";
import { sanitizeLine } from "../sanitize.ts";
import type { Screen } from "../screen.ts";
import { useScreen } from "../screen-context.ts";
import type { ScreenState } from "../state.ts";
import { Styled } from "./styled.tsx";

/** The agent's activity, and below it the background work. */
export function Activity(): ReactNode {
  const rows = useScreen((_, { activity }) => activity);
  const hasGap = useScreen((_, budget) => budget.hasGap);
  const [doing, background] = useScreen(activityParts);
  return (
    <Box
      flexDirection="column"
      marginTop={hasGap ? 1 : 0}
      height={rows}
      flexShrink={0}
      overflow="hidden"
    >
      <Styled role="accent">{doing}</Styled>
      <Styled role="dim">{background}</Styled>
    </Box>
  );
}

export const activityRows = (screen: Screen): number =>
  activityParts(screen).filter(Boolean).length;

/** Hidden from screen readers, which would read the clock every second; the transcript has the events. */
const activityParts = (screen: Screen): [doing: string, background: string] => [
  screen.spoken.length > 0 ? "" : activityLine(screen),
  backgroundLine(screen.store.state),
];

const spinner = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"];

function activityLine(screen: Screen): string {
  const { throttledState: state, view, rules, nowMs } = screen.store;
  const { retry, asks, phase } = state;
  if (retry) {
    const seconds = Math.max(0, Math.ceil((retry.untilMs - nowMs) / 1000));
    return `Retry ${retry.attempt} of ${retry.of} in ${seconds} s · Esc stop · ${sanitizeLine(retry.reason)}`;
  }
  // Its card says so.
  if (screen.overlay.question) return "";
  if (asks.length > 0) return "Waiting for you";
  if (phase === "idle") return "";
  // Uses the spinner's tick, so that both change in the same frame.
  const tick = Math.floor(nowMs / 1000);
  const since = (state.activitySinceMs ?? nowMs) / 1000;
  const seconds = Math.max(0, Math.round(tick - since));
  const sign = spinner[tick % spinner.length] ?? "";
  const tokens =
    phase === "streaming" && state.liveChars > 0
      ? ` · ${answerTokens(state, view, rules)} tokens`
      : "";
  return `${sign} ${chooseVerb(state)} ${seconds} s${tokens} · Esc stop${currentTodo(state)}${commandHint(state, screen.keys.describeKey("background"))}`;
}

/** The current todo item. */
function currentTodo({ todos }: ScreenState): string {
  const at = todos.findIndex(({ status }) => status === "in_progress");
  const item = todos[at];
  return item ? ` · ${at + 1} of ${todos.length}: ${sanitizeLine(item.content)}` : "";
}

/** Background work in one line; empty when there is none. */
function backgroundLine({ inBackground, isPreparing }: ScreenState): string {
  const summary = isPreparing ? ["Writing the next summary in the background"] : [];
  const commands =
    inBackground === 0 ? [] : [`${counted(inBackground, "command")} in the background · /tasks`];
  return [...summary, ...commands].join(" · ");
}

const verbs: Record<ScreenState["phase"], string> = {
  starting: "Starting",
  waiting: "Waiting for the model",
  streaming: "Writing",
  tools: "Running",
  compacting: "Compacting",
  idle: "",
};

function chooseVerb({ phase, answer, compaction }: ScreenState): string {
  if (phase === "streaming" && answer.at(-1)?.kind === "thinking") return "Thinking";
  if (phase === "compacting" && compaction?.step === "writing")
    return `Compacting: ${sanitizeLine(takeEnd(compaction.text, 60))}`;
  return verbs[phase];
}

/** Latest output line of the user's command, which has no transcript row yet. */
function commandHint({ running, openCalls }: ScreenState, key: string): string {
  const hint = ` · ${key} background`;
  for (const [call, { tail }] of running) {
    const line = sanitizeLine(tail.trimEnd().split("\n").at(-1) ?? "");
    if (!openCalls.has(call)) return line === "" ? hint : ` · ${line}`;
  }
  return running.size > 0 ? hint : "";
}
