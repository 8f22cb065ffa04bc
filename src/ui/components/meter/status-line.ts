/** The user's status line: input of its command, run schedule, sanitized output. */

import { type Forecast, nextUp } from "../../../context/forecast.ts";
import type { Entry } from "../../../protocol/entry.ts";
import { fit, readParameters } from "../../painted-text.ts";
import { Memo } from "../../memo.ts";
import { sanitizeLine } from "../../sanitize.ts";
import type { Shared } from "../../shared.ts";
import { diffSize } from "../../transcript/diff-lines.ts";

/** Minimum interval between runs. */
const throttleMs = 300;

type Parts = Pick<Shared, "store" | "services" | "session" | "folder">;

export function statusLine(parts: Parts) {
  const { store, services, folder } = parts;
  const told = new Memo<void>();
  const ending = new AbortController();
  let lines: readonly string[] = [];
  let isDue = false;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isRunning = false;
  let forecast: Forecast = { bySize: null, whenCold: null };
  let isThere = true;

  async function run(): Promise<void> {
    timer = undefined;
    isDue = false;
    isRunning = true;
    const input = statusInput(parts, forecast);
    const printed = await services.statusLine(input, ending.signal).catch(() => []);
    isRunning = false;
    isThere = printed !== null;
    if (ending.signal.aborted || printed === null) return;
    lines = printed;
    // Wait for the git branch.
    folder.load();
    store.redraw();
    schedule();
  }

  const schedule = (): void => {
    if (isDue && !isRunning) timer ??= setTimeout(() => void run(), throttleMs);
  };

  return {
    /** The latest output; runs the command again when its input has changed. */
    lines(columns: number, newest: Forecast): readonly string[] {
      if (!isThere) return [];
      forecast = newest;
      const { state, reading, theme } = store;
      const { usedTokens, effectiveTokens, windowTokens, cache, cost } = reading;
      const { model, mode, title, path } = state;
      // Ignore clock-only changes: each run redraws and would trigger the next.
      const sizes = [usedTokens, effectiveTokens, windowTokens, cost.session, path.length];
      const cached = [cache.state, cache.expiresAtMs, cache.tokens];
      told.get([...sizes, ...cached, model, mode, title, folder.git], () => void (isDue = true));
      schedule();
      return lines.map((line) => fit(colorsOnly(line, theme.name !== "none"), columns));
    },
    stop(): void {
      clearTimeout(timer);
      ending.abort();
    },
  };
}

/** Allowed SGR codes: colors and weights, but no blinking or hiding. */
// eslint-disable-next-line no-control-regex -- the codes themselves
const style = /(\x1b\[[\d;]*m)/;
const allowed = /^(?:0|[1-4]|7|2[2-47]|[349][0-79]|10[0-7]|[34]8;5;\d+|[34]8;2;\d+;\d+;\d+)$/;

/** Strips all control sequences except colors. */
export function colorsOnly(line: string, hasColors: boolean): string {
  const pieces = line.split(style).map((piece, index) => {
    if (index % 2 === 0) return sanitizeLine(piece);
    const isPlain = readParameters(piece).every((parameter) => allowed.test(parameter));
    return hasColors && isPlain ? piece : "";
  });
  return pieces.length === 1 ? pieces.join("") : `${pieces.join("")}${hasColors ? "\x1b[0m" : ""}`;
}

/** Claude Code's status-line fields, plus the meter. Pure. */
function statusInput({ store, session, folder }: Parts, forecast: Forecast): object {
  const { state, reading, nowMs } = store;
  const { usedTokens, effectiveTokens, windowTokens, cache, cost } = reading;
  const used = Math.round((usedTokens / windowTokens) * 100);
  const startMs = Date.parse(state.path[0]?.at ?? "") || nowMs;
  const next = nextUp(forecast, usedTokens, state.isPreparing);
  const work = sumWork(state.path);
  const hasCalled = cache.state !== "none";
  return {
    hook_event_name: "Status",
    session_id: session.session,
    ...(state.title === null ? {} : { session_name: state.title }),
    transcript_path: session.logFile,
    cwd: session.cwd,
    model: { id: state.model, display_name: displayName(state.model) },
    workspace: { current_dir: session.cwd, project_dir: session.cwd },
    version: session.version,
    output_style: { name: "default" },
    cost: {
      total_cost_usd: cost.session,
      total_duration_ms: Math.max(0, nowMs - startMs),
      total_api_duration_ms: work.apiMs,
      total_lines_added: work.added,
      total_lines_removed: work.removed,
    },
    context_window: {
      context_window_size: windowTokens,
      total_input_tokens: usedTokens,
      total_output_tokens: work.outputTokens,
      used_percentage: used,
      remaining_percentage: 100 - used,
      current_usage: hasCalled
        ? {
            input_tokens: Math.max(0, usedTokens - cache.tokens),
            output_tokens: 0,
            cache_creation_input_tokens: 0,
            cache_read_input_tokens: Math.min(usedTokens, cache.tokens),
          }
        : null,
    },
    exceeds_200k_tokens: usedTokens > 200_000,
    permission_mode: state.mode,
    branch: folder.git?.branch ?? null,
    meter: {
      tokens: usedTokens,
      window_tokens: effectiveTokens,
      next: next && {
        action: next.action,
        frees_tokens: next.freesTokens,
        usd: next.usd,
        when: next.when,
      },
      cache: { state: cache.state, expires_at_ms: cache.expiresAtMs, tokens: cache.tokens },
      session_usd: cost.session,
      session_usd_is_estimate: cost.isEstimate ?? false,
    },
  };
}

const diffSizes = new WeakMap<Entry, ReturnType<typeof diffSize>>();

/** Time in calls in milliseconds, tokens that they wrote, and lines of files that tools changed. */
function sumWork(path: readonly Entry[]) {
  const work = { apiMs: 0, outputTokens: 0, added: 0, removed: 0 };
  for (const entry of path)
    if (entry.type === "assistant") {
      work.apiMs += Math.max(0, Date.parse(entry.at) - Date.parse(entry.sentAt)) || 0;
      work.outputTokens += entry.usage.output;
    } else if (entry.type === "result" && entry.diff !== undefined) {
      const size = diffSizes.get(entry) ?? diffSize(entry.diff);
      diffSizes.set(entry, size);
      work.added += size.added;
      work.removed += size.removed;
    }
  return work;
}

/** "Sonnet 5.5" */
const displayName = (model: string): string => {
  const [, name = "", major, minor] = /^claude-([a-z]+)-(\d+)-(\d)(?!\d)/.exec(model) ?? [];
  if (name === "") return model;
  return `${name.replace(/^./, (first) => first.toUpperCase())} ${major}.${minor}`;
};
