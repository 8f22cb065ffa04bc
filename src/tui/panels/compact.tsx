/** What a compaction would do, before anything happens; and its progress, once it does. */

import { Box, Text } from "ink";
import TextInput from "ink-text-input";
import { useState } from "react";
import { clearPlan, summaryPlan } from "../../context/pipeline.ts";
import type { Plan } from "../../context/types.ts";
import { useKeys } from "../input.tsx";
import { sanitise } from "../sanitise.ts";
import { showTokens, showUsd } from "../transcript/looks.ts";
import type { PartProps } from "../types.ts";
import { fit, wrapWords } from "../wrap.ts";

type How = "clear" | "summarise";

export function CompactPanel(props: PartProps & { focus: string }) {
  const { state, dispatch, send, view, reading, options, rules, theme, columns } = props;
  const [how, setHow] = useState<How>("summarise");
  const [focus, setFocus] = useState(props.focus);
  const [sent, setSent] = useState(false);
  const plans: Record<How, Plan | null> = {
    clear: clearPlan(view, reading, options.policy, rules),
    summarise: summaryPlan(view, reading, options.policy, rules),
  };
  const close = (): void => dispatch({ type: "panel", panel: null });
  const start = (): void => {
    if (!plans[how] || state.phase !== "idle") return;
    setSent(true);
    send({
      type: "compact",
      how,
      trigger: "key",
      ...(focus.trim() === "" ? {} : { focus: focus.trim() }),
    });
  };
  useKeys("dialog", (event) => {
    if (event.type !== "key") return true;
    if (event.chord === "escape" && !sent) close();
    else if (event.chord === "escape") send({ type: "stop" });
    else if (event.chord === "tab" || event.chord === "up" || event.chord === "down")
      setHow(how === "clear" ? "summarise" : "clear");
    else if (event.chord === "enter" && !sent) start();
    else if (event.chord === "enter" && state.phase === "idle") close();
    return true;
  });
  const row = (one: How, name: string): string => {
    const sign = how === one ? "◉" : "○";
    const line = `${sign} ${name}: ${priceWords(plans[one])}`;
    return how === one ? theme.paint("strong", line) : line;
  };
  const progress = state.compaction;
  return (
    <Box flexDirection="column" width={columns}>
      <Text wrap="truncate">
        {theme.paint("boundary", fit("── Compact ".padEnd(columns, "─"), columns))}
      </Text>
      <Text wrap="truncate">{fit(row("clear", "clear stale results only"), columns)}</Text>
      <Text wrap="truncate">{fit(row("summarise", "summarise"), columns)}</Text>
      {kept(plans[how])
        .flatMap((line) => wrapWords(line, columns - 2))
        .map((line, index) => (
          <Text key={index} wrap="truncate">
            {theme.paint("dim", `  ${line}`)}
          </Text>
        ))}
      {sent ? (
        <Text wrap="truncate">
          {theme.paint("accent", fit(progressWords(progress, state.phase), columns))}
        </Text>
      ) : (
        <Box>
          <Text>{theme.paint("dim", "Focus: ")}</Text>
          <TextInput
            value={focus}
            onChange={setFocus}
            focus={how === "summarise"}
            placeholder="what the summary must keep (optional)"
          />
        </Box>
      )}
      <Text wrap="truncate">
        {theme.paint(
          "dim",
          fit(
            sent
              ? "Esc stops it; Enter closes when it is done"
              : state.phase === "idle"
                ? "Tab chooses, Enter compacts, Esc leaves everything as it is"
                : "The agent works; Esc, then compact when it is done",
            columns,
          ),
        )}
      </Text>
    </Box>
  );
}

function priceWords(plan: Plan | null): string {
  if (!plan) return "nothing to do";
  const { usedBefore, usedAfter, cachedBroken, usd, breakEvenCalls } = plan.price;
  const pays =
    breakEvenCalls === null
      ? "never pays"
      : breakEvenCalls === 0
        ? "free"
        : `pays after ${breakEvenCalls} calls`;
  return `${showTokens(usedBefore)} → ${showTokens(usedAfter)} tokens, ${showTokens(usedBefore - usedAfter)} freed, ${showTokens(cachedBroken)} cached broken, ${showUsd(usd)}, ${pays}`;
}

function kept(plan: Plan | null): string[] {
  if (!plan) return ["There is nothing that could go yet."];
  if ("changes" in plan)
    return [
      `${plan.changes.length} older results give way to placeholders; the newest ones, pinned ones and all words stay.`,
    ];
  return [
    `Covers ${plan.summarise.from} to ${plan.summarise.to}. Kept: your messages word for word, every instruction, the todo list, the files in work, the newest turn. The log keeps everything; /undo-compact takes it back.`,
  ];
}

function progressWords(progress: PartProps["state"]["compaction"], phase: string): string {
  if (progress?.step === "writing")
    return `writing: ${sanitise(progress.text).replaceAll("\n", " ").slice(-60)}`;
  if (progress?.step === "failed") return progress.message;
  if (progress?.step === "started") return "writing the summary";
  return phase === "idle" ? "Done." : "compacting";
}
