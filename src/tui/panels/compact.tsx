/** What a compaction would do, before anything happens; and its progress, once it does. */

import { Box, Text } from "ink";
import TextInput from "ink-text-input";
import { useMemo } from "react";
import { tokensOf } from "../../context/meter.ts";
import { clearPlan, summaryPlan } from "../../context/pipeline.ts";
import type { CompactionState } from "../../protocol/event.ts";
import { useLatest } from "../use-latest.ts";
import { useKeys } from "../input.tsx";
import { sanitiseLine } from "../sanitise.ts";
import type { PanelProps } from "../types.ts";
import { fit, wrapWords } from "../wrap.ts";
import { preview } from "./compact-preview.ts";
import { progressLine } from "./progress.ts";

const placeholder = "what the summary must keep (optional)";

type How = "clear" | "summarise";

const names: Record<How, string> = { clear: "clear stale results only", summarise: "summarise" };
const shortNames: Record<How, string> = { clear: "clear only", summarise: "summarise" };

export function CompactPanel(props: PanelProps & { focus: string }) {
  const { state, dispatch, send, view, reading, options, rules, theme, columns, rows } = props;
  const how = useLatest<How>("summarise");
  const focus = useLatest(props.focus);
  /** The compaction that was on the screen when this one was sent for; null: none was sent for yet. */
  const sent = useLatest<{ before: CompactionState | null } | null>(null);
  const { policy } = options;
  const plans = useMemo(
    () => ({
      clear: clearPlan(view, reading, policy, rules),
      summarise: summaryPlan(view, reading, policy, rules),
    }),
    // The view is a live look at the path; prices also hang on the cache.
    // eslint-disable-next-line react-hooks/exhaustive-deps
    [state.path, view, policy, rules, reading.cache.state],
  );
  const close = (): void => dispatch({ type: "panel", panel: null });
  const start = (): void => {
    if (!plans[how.get()] || state.phase !== "idle") return;
    const words = sanitiseLine(focus.get().trim());
    sent.set({ before: state.compaction });
    send({
      type: "compact",
      how: how.get(),
      trigger: "key",
      ...(words === "" ? {} : { focus: words }),
    });
  };
  useKeys("dialog", (event) => {
    if (event.type === "paste") focus.set(focus.get() + sanitiseLine(event.text));
    if (event.type !== "key") return true;
    const { chord } = event;
    const isOver = sent.get() === null || state.phase === "idle";
    if (chord === "escape") {
      if (isOver) close();
      else send({ type: "stop" });
    } else if (chord === "enter") {
      if (sent.get() === null) start();
      else if (isOver) close();
    } else if (sent.get() === null && (chord === "tab" || chord === "up" || chord === "down")) {
      how.set(how.get() === "clear" ? "summarise" : "clear");
    }
    return true;
  });

  const chosen = how.get();
  const { clear, summarise } = useMemo(() => {
    const tokens = tokensOf(view, rules);
    return {
      clear: preview(plans.clear, view, tokens, policy),
      summarise: preview(plans.summarise, view, tokens, policy),
    };
  }, [plans, view, rules, policy]);
  const shown = chosen === "clear" ? clear : summarise;
  const row = (one: How, { price, shortPrice }: typeof shown): string => {
    const mark = chosen === one ? "◉" : "○";
    const shortest = `${mark} ${shortNames[one]}: ${shortPrice}`;
    const ways = [`${mark} ${names[one]}: ${price}`, `${mark} ${names[one]}: ${shortPrice}`];
    const line = ways.find((way) => Bun.stringWidth(way) <= columns) ?? shortest;
    return chosen === one ? theme.paint("strong", line) : line;
  };
  const words = [shown.goes, shown.stays].map((line) =>
    line === "" ? [] : wrapWords(line, columns - 2),
  );
  const [goes = [], stays = []] = words;
  const asked = sent.get();
  // What became of an earlier one is no news of this one.
  const progress = state.compaction === asked?.before ? null : state.compaction;
  const label = "Focus: ";
  // The field breaks its own text over lines beside its label.
  const focusRows = Math.max(
    1,
    Math.ceil((Bun.stringWidth(focus.get()) + 1) / Math.max(1, columns - label.length)),
  );
  // Beside them: title, two ways, hint. The words come before the list of the largest.
  const room = Math.max(0, rows - 4 - focusRows);
  const listed = shown.largest.slice(0, Math.max(0, room - goes.length - stays.length));
  const details = [...goes, ...listed, ...stays].slice(0, room);
  return (
    <Box flexDirection="column" width={columns}>
      <Text wrap="truncate">
        {theme.paint("boundary", fit("── Compact ".padEnd(columns, "─"), columns))}
      </Text>
      <Text wrap="truncate">{fit(row("clear", clear), columns)}</Text>
      <Text wrap="truncate">{fit(row("summarise", summarise), columns)}</Text>
      {details.map((line, index) => (
        <Text key={index} wrap="truncate">
          {theme.paint("dim", fit(`  ${line}`, columns))}
        </Text>
      ))}
      {asked ? (
        <Text wrap="truncate">
          {theme.paint("accent", fit(progressLine(progress, state.phase, columns), columns))}
        </Text>
      ) : (
        <Box height={focusRows} overflow="hidden">
          <Text>{theme.paint("dim", label)}</Text>
          <TextInput
            value={focus.get()}
            onChange={focus.set}
            focus={chosen === "summarise"}
            placeholder={fit(placeholder, columns - label.length - 1)}
          />
        </Box>
      )}
      <Text wrap="truncate">
        {theme.paint("dim", fit(hintOf(asked !== null, state.phase === "idle"), columns))}
      </Text>
    </Box>
  );
}

function hintOf(isSent: boolean, isIdle: boolean): string {
  if (isSent) return isIdle ? "Enter closes" : "Esc stops it";
  return isIdle
    ? "Tab chooses, Enter compacts, Esc leaves everything as it is"
    : "The agent works; Esc, then compact when it is done";
}
