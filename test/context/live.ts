/** A session as an agent would run it: the pipeline at every boundary and before every call. */

import { summaryPlan } from "../../src/context/ladder.ts";
import {
  buildRequest,
  buildSummaryRequest,
  buildServerRequest,
  canAskServer,
} from "../../src/context/request.ts";
import type { Plan, View } from "./types.ts";
import type { EntryId, Span } from "../../src/protocol/entry.ts";
import type { ModelRules } from "../../src/protocol/model.ts";
import type { Policy } from "../../src/protocol/policy.ts";
import { brokenRules, ThinkingServer } from "./api-rules.ts";
import { countTokens } from "./build.ts";
import { apply, compact, readSignals } from "./compact.ts";
import { play, prose, take, type Step } from "./sessions.ts";

export type Life = {
  /** Requests that the API would have refused, and why. */
  refused: string[];
  /** Requests that had thinking dropped although nothing was cut within the loop. */
  droppedInVain: number;
};

export function live(script: readonly Step[], policy: Policy, model: ModelRules): Life {
  const session = play([]);
  const server = new ThinkingServer();
  const life: Life = { refused: [], droppedInVain: 0 };
  const answer = session.answer.bind(session);
  let cutInLoop = false;
  const cut = (plan: Plan): void => {
    if (!("summarize" in plan)) return apply(session, plan);
    const { view } = session;
    const asked = buildSummaryRequest(view, plan.summarize, model, policy, { prompt: "Sum up." });
    life.refused.push(...brokenRules(asked.messages), ...server.take(asked, []).broken);
    const span = signedSpan(view, plan.summarize);
    if (policy.engine === "client" || !canAskServer(view, span)) return apply(session, plan);
    const { broken, block } = server.compact(
      buildServerRequest(view, span, model, policy, "Sum up."),
    );
    life.refused.push(...broken);
    const kept = prose(200);
    session.cut([{ kind: "cover", span, text: block.content ?? "", block, kept }], "summary");
  };
  session.answer = (content, more) => {
    const { midLoop } = session.view;
    const last = session.path.findLast(({ type }) => type === "user" || type === "result");
    const moment = last?.type === "user" ? "turnStart" : "beforeCall";
    let cuts = compact(session, moment, model, policy, cut);
    if (cuts === 0) cuts += compact(session, "beforeCall", model, policy, cut);
    cutInLoop = midLoop && (cutInLoop || cuts > 0);
    const request = buildRequest(session.view, model, policy);
    const tokens = countTokens(request.messages);
    if (tokens > model.windowTokens) life.refused.push(`prompt is too long: ${tokens}`);
    life.refused.push(...brokenRules(request.messages));
    const taken = server.take(request, more?.stop === "failed" ? [] : content);
    life.refused.push(...taken.broken);
    if (request.dropStaleThinking && !cutInLoop) life.droppedInVain++;
    return answer(more?.stop === "failed" ? content : taken.answer, more);
  };
  for (const [index, step] of script.entries()) {
    if (index % 3 === 0 && !session.view.midLoop) {
      const to = session.path[Math.floor((session.path.length * (index % 5)) / 4)]?.id;
      const plan = summaryPlan(readSignals(session, model, policy), to ? { to } : undefined);
      if (plan) cut(plan);
    }
    take(session, step, index);
  }
  return life;
}

/** The span, from the first message on: of the server's own summary. */
export function signedSpan({ rows, covers }: View, { to }: Span): Span {
  const first = rows.findIndex(({ shown }) => shown !== "unsent");
  const from = covers.find((cover) => cover.from <= first && first <= cover.to)?.from ?? first;
  return { from: rows[from]?.entry.id ?? to, to };
}

/** The row of the answer whose calls the model has no results of yet; the row count if there is none. */
export function openExchange({ midLoop, rows }: View): number {
  const last = rows.findLastIndex(
    ({ entry, shown }) => entry.type === "assistant" && shown !== "unsent",
  );
  return midLoop && last !== -1 && rows[last]?.shown !== "covered" ? last : rows.length;
}

/** Results that a plan changes. */
export const touched = (plan: Plan): EntryId[] =>
  "changes" in plan
    ? plan.changes.flatMap((change) => (change.kind === "cover" ? [] : [change.entry]))
    : [];

/** Results that only the last resort may cut. */
export function listProtected(view: View, keepResults: number): Set<EntryId> {
  const isResult = ({ entry, shown }: View["rows"][number]): boolean =>
    entry.type === "result" && shown !== "covered" && shown !== "unsent";
  const errors = view.rows
    .slice(view.loopStart)
    .filter((row) => isResult(row) && row.entry.type === "result" && row.entry.isError);
  const kept = [
    ...view.rows.filter(isResult).slice(-keepResults),
    ...view.rows.slice(openExchange(view)),
    ...errors,
    ...view.rows.filter(({ pinned, entry }) => pinned || view.isRestored(entry.id)),
  ];
  return new Set(kept.map(({ entry }) => entry.id));
}
