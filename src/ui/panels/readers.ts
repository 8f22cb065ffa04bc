/** Texts to read: status, the todo list, hooks. */

import type { Host } from "../host.ts";
import { type Line, span, wrapWords } from "../line.ts";
import { loading, type PanelModel, readerPanel, textContent } from "./panel.ts";
import { modeMeanings } from "../../protocol/permission.ts";
import { sanitizeLine } from "../sanitize.ts";
import { homePath, shortTokens, showTokens } from "../transcript/format.ts";
import { showGit } from "../start/start-lines.ts";
import type { EntryOf, TierName } from "../../protocol/entry.ts";
import type { HookLine } from "../types.ts";

const headingColumns = 14;

export function statusPanel(host: Host): PanelModel {
  host.folder.load();
  return readerPanel({
    content(columns) {
      const lines = statusOf(host).flatMap(([heading, text]) =>
        wrapWords(sanitizeLine(text), Math.max(1, columns - headingColumns)).map((line, index) => [
          span("accent", (index === 0 ? heading : "").padEnd(headingColumns)),
          line,
        ]),
      );
      return textContent("Status", "↑ ↓ scroll · Esc close", lines);
    },
  });
}

function statusOf({ state, options, rules, folder }: Host): [heading: string, text: string][] {
  const { git, instructions } = folder;
  const minutes = options.policy.keepCacheIdleMinutes;
  const kept =
    minutes === 0
      ? "not kept alive during a break"
      : `kept alive for up to ${minutes} minutes of a break, where that saves $0.05`;
  const sandbox = state.hasSandbox ? "" : "; commands run without a sandbox";
  return [
    ["Version", `mini-claude ${options.version}, Bun ${Bun.version}`],
    ["Folder", homePath(options.cwd)],
    ["Git", git ? showGit(git) : "not a repository, or not trusted"],
    ["Instructions", instructions.length === 0 ? "none" : instructions.join(", ")],
    ["Model", `${state.model}, ${shortTokens(rules.windowTokens)} tokens`],
    ["Server", options.settings.baseUrl ?? options.label],
    ...(rules.caches ? [["Cache", kept] satisfies [string, string]] : []),
    ["Permissions", `${state.mode}: ${modeMeanings[state.mode]}${sandbox}`],
    ["Session", [state.title, options.session].filter(Boolean).join(", ")],
    ["Log", homePath(options.logFile)],
  ];
}

const signs = { pending: "☐", in_progress: "▸", completed: "☑" } as const;
const roles = { pending: "strong", in_progress: "accent", completed: "dim" } as const;

export function todoPanel(host: Host): PanelModel {
  return readerPanel({
    content() {
      const { state } = host;
      const lines = state.todos.map(({ content, status }) =>
        span(roles[status], `${signs[status]} ${sanitizeLine(content)}`),
      );
      const shown = lines.length === 0 ? ["No todo list yet."] : lines;
      return textContent("Todo", "Esc close", shown);
    },
  });
}

export function hooksPanel(host: Host): PanelModel {
  const found = loading(host, host.options.services.hooks(), "Reading the settings …");
  return readerPanel({
    content() {
      const hooks = found.value;
      const lines = hooks?.flatMap((hook, index) => [
        ...(hook.event === hooks[index - 1]?.event ? [] : [span("heading", hook.event)]),
        ...hookLines(hook, host),
      ]) ?? [found.message];
      return textContent("Hooks", "Esc close", lines.length === 0 ? ["No hooks."] : lines);
    },
  });
}

function hookLines({ matcher, name, source, last, tiers }: HookLine, host: Host): Line[] {
  const about = matcher === "" ? "" : `${sanitizeLine(matcher)}: `;
  const first = [`  ${about}${sanitizeLine(name)}  `, span("dim", sanitizeLine(source))];
  if (!tiers) return [first, span("dim", `    ${sanitizeLine(last ?? "has not run yet")}`)];
  const cuts = host.state.path.filter((entry) => entry.type === "cut");
  return [first, ...tiers.map((tier) => tierLine(tier, cuts))];
}

function tierLine(tier: TierName, cuts: readonly EntryOf<"cut">[]): Line {
  const cut = cuts.findLast((one) => one.tier === tier);
  const freed = cut ? cut.price.usedBefore - cut.price.usedAfter : 0;
  const last = cut
    ? `${sanitizeLine(cut.reason)}; freed ${showTokens(freed)} tokens`
    : "has cut nothing yet";
  return [`    ${tier.padEnd(14)}`, span("dim", last)];
}
