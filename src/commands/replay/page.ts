/** The policies side by side, as one HTML file without scripts or requests. */

import { escapeHtml, pageEnd, pageStart } from "../html.ts";
import type { PolicyName } from "./policies.ts";
import { changesOf, columnsOf, percentOf, sumResults, type ReplayResult } from "./replay-result.ts";

/** Results of each policy at one size of the window, in the same order of sessions. */
export type PageWindow = {
  tokens: number;
  policies: { name: PolicyName; results: ReplayResult[] }[];
};

export function replayPage(windows: readonly PageWindow[]): string {
  const title = "Policies side by side";
  return `${pageStart({ title, style })}<h1>${title}</h1>
<p>The size of the context over the calls of each session, and where it was cut: hover a line for the
reason. Costs include summaries and what had to be read again; changes, files and names are those that
were needed later and still in view.</p>
${windows.map(section).join("\n")}
${pageEnd}`;
}

function section({ tokens, policies }: PageWindow): string {
  const sessions = policies[0]?.results.map(({ session }) => session) ?? [];
  const total = policies.map(({ name, results }) => row(name, sumResults(results))).join("");
  const each = sessions.map((name, at) => {
    const charts = policies.flatMap(({ name: policy, results }) => {
      const result = results[at];
      return result ? [figure(policy, result, tokens)] : [];
    });
    return `<details${sessions.length > 3 ? "" : " open"}><summary>${escapeHtml(name)}</summary><div class="charts">${charts.join("")}</div></details>`;
  });
  return `<section><h2>Window ${tokens.toLocaleString("en")}</h2>
<table><tr><th>policy</th><th>cost</th><th>changes</th><th>files</th><th>names</th><th>summaries</th><th>did not fit</th></tr>${total}</table>
${each.join("\n")}</section>`;
}

function row(name: string, { usd, kept, summaries, unfit }: ReplayResult): string {
  const shares = [changesOf(kept), kept.files, kept.words].map(percentOf);
  const cells = [`$${usd.toFixed(2)}`, ...shares, String(summaries), String(unfit)];
  return `<tr><th>${escapeHtml(name)}</th>${cells.map((cell) => `<td>${cell}</td>`).join("")}</tr>`;
}

function figure(policy: string, { used, events, usd }: ReplayResult, window: number): string {
  const columns = columnsOf(used.length, 600);
  const width = columns.length;
  const x = (call: number): number => (call / Math.max(1, used.length)) * width;
  const y = (tokens: number): string =>
    (100 - (Math.min(tokens, window) / window) * 100).toFixed(1);
  const points = columns.map(({ from, to }, column) => {
    const height = y(Math.max(0, ...used.slice(from, to)));
    return `${column},${height} ${column + 1},${height}`;
  });
  const notches = events.map(({ call, tier, reason, usedBefore, usedAfter }) => {
    const words = `call ${call}, ${tier}, ${usedBefore.toLocaleString("en")} to ${usedAfter.toLocaleString("en")} tokens: ${reason}`;
    const at = x(call).toFixed(1);
    return `<line class="${tier === "summary" ? "summary" : "cut"}" x1="${at}" x2="${at}" y1="0" y2="100"><title>${escapeHtml(words)}</title></line>`;
  });
  const caption = `${policy}: $${usd.toFixed(2)}, ${used.length} calls, ${events.length} cuts`;
  return `<figure><svg viewBox="0 0 ${width} 100" preserveAspectRatio="none" role="img"><polygon points="0,100 ${points.join(" ")} ${width},100"/>${notches.join("")}</svg><figcaption>${escapeHtml(caption)}</figcaption></figure>`;
}

const style = `
:root { color-scheme: light dark; }
body { max-width: 72rem; margin: 0 auto; padding: 1rem; font: 16px/1.5 system-ui, sans-serif; }
table { border-collapse: collapse; margin: 0.5rem 0 1rem; display: block; overflow-x: auto; }
th, td { padding: 0.15rem 0.75rem; text-align: right; border-bottom: 1px solid light-dark(#dde, #334); white-space: nowrap; }
th:first-child { text-align: left; }
summary { cursor: pointer; overflow-wrap: anywhere; }
.charts { display: grid; grid-template-columns: repeat(auto-fill, minmax(18rem, 1fr)); gap: 1rem; }
figure { margin: 0; }
figcaption { font-size: 0.85rem; opacity: 0.75; }
svg { width: 100%; height: 6rem; background: light-dark(#f1f3f7, #1d2027); border-radius: 4px; }
polygon { fill: light-dark(#2f6fb3, #6cb0f0); }
line { stroke: light-dark(#c98a1b, #e0b050); stroke-width: 2; vector-effect: non-scaling-stroke; }
line.summary { stroke: light-dark(#8250df, #c297ff); }
`;
