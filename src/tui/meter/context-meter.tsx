import { Box, Text } from "ink";
import { forecast } from "../../context/forecast.ts";
import type { PanelProps } from "../types.ts";
import { fit, spread } from "../wrap.ts";
import { sanitiseLine } from "../sanitise.ts";
import { layoutMeter } from "./layout.ts";
import { answerTokens, liveTokens } from "./live.ts";

/** Draws the context meter: how full the window is, what fires next, the cache, the cost. */
export function ContextMeter(props: PanelProps) {
  const { state, view, rules, reading, options, theme, columns, nowMs } = props;
  const { policy } = options;
  const live = liveTokens(state, view, rules, policy);
  const next = forecast(view, rules, policy, nowMs).bySize;
  const segments = layoutMeter({ reading, liveTokens: live, policy, next, nowMs }, columns);
  return (
    <Box flexShrink={0} height={1} width={columns}>
      <Text wrap="truncate">
        {segments.map(({ role, text }) => theme.paint(role, text)).join("")}
      </Text>
    </Box>
  );
}

const spinner = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"];

/** Draws what the agent is doing now, and with whom one talks. */
export function StatusLine({ state, view, rules, options, theme, columns, nowMs }: PanelProps) {
  const right = theme.paint(
    "dim",
    sanitiseLine(
      `${options.label === state.model ? "" : `${options.label} · `}${state.model} · ${state.mode}`,
    ),
  );
  const left = activity(state, nowMs, answerTokens(state, view, rules));
  const vim = state.vim === null ? "" : theme.paint("strong", `${state.vim.toUpperCase()} · `);
  const words = vim + (left === null ? idleLine(state) : theme.paint("accent", left));
  // A frame that equals the one before is not written: after the screen was cleared it has to differ.
  const line = words + (state.redraws % 2 === 0 ? "" : theme.paint("dim", " "));
  return (
    <Box flexShrink={0} height={1} width={columns}>
      <Text wrap="truncate">{fit(spread(line, right, columns), columns)}</Text>
    </Box>
  );
}

function activity(state: PanelProps["state"], nowMs: number, written: number): string | null {
  if (state.retry) {
    const seconds = Math.max(0, Math.ceil((state.retry.untilMs - nowMs) / 1000));
    return `retry ${state.retry.attempt} of ${state.retry.of} in ${seconds} s: ${sanitiseLine(state.retry.reason)}`;
  }
  if (state.phase === "idle" || state.busySinceMs === null) return null;
  const seconds = Math.max(0, Math.floor((nowMs - state.busySinceMs) / 1000));
  const sign = spinner[Math.floor(nowMs / 1000) % spinner.length] ?? "";
  const words = {
    waiting: "thinking",
    streaming: "writing",
    tools: "working",
    compacting: "compacting",
  }[state.phase];
  const tokens = state.liveChars > 0 ? `, ${written} tokens` : "";
  const waiting = state.queue.length > 0 ? `, ${state.queue.length} waiting` : "";
  return `${sign} ${words} ${seconds} s${tokens}${waiting} · Esc stops${ownOutput(state)}`;
}

/** The newest line of a command of the person's own, which has no place in the transcript yet. */
function ownOutput({ running, openCalls }: PanelProps["state"]): string {
  for (const [call, { tail }] of running) {
    const line = sanitiseLine(tail.trimEnd().split("\n").at(-1) ?? "");
    if (!openCalls.has(call)) return line === "" ? " · Ctrl-B leaves it running" : ` · ${line}`;
  }
  return "";
}

function idleLine(state: PanelProps["state"]): string {
  if (state.flash) return sanitiseLine(state.flash.text);
  if (state.idle?.why === "failed") return sanitiseLine(state.idle.message);
  if (state.idle?.why === "stopped") return "stopped";
  return "F1 help · Ctrl-S compact";
}
