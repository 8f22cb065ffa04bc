/**
 * A session as one HTML file that needs no network. All text is untrusted: it is data, which the page's
 * script puts into text nodes. The page allows only that script, by its hash, and no request.
 */

import client from "./client.js" with { type: "text" };
import markdown from "./markdown.js" with { type: "text" };
import style from "./style.css" with { type: "text" };
import type { Entry } from "../../protocol/entry.ts";
import { pageEnd, pageStart, withoutControls } from "../html.ts";
import { headOf, itemsOf, PageHistory, type PageHead } from "./session-data.ts";

const script = markdown + client;

/** The page in pieces: one for each entry, and some around them. */
export function* sessionPage(path: readonly Entry[]): Generator<string, void> {
  const head = headOf(path);
  yield pageStart({ title: head.title, style, script });
  yield `<noscript>This page needs JavaScript to show the session. It makes no requests.</noscript>
<script type="application/json" id="session">`;
  yield* sessionData(path, head);
  yield `</script>
<script>${script}</script>
${pageEnd}`;
}

/** What the page shows, as JSON: `SessionData`. */
function* sessionData(path: readonly Entry[], head: PageHead): Generator<string, void> {
  const history = new PageHistory();
  yield `${asJson(head).slice(0, -1)},"items":[`;
  let separator = "";
  for (const [row, entry] of path.entries()) {
    history.push(entry);
    const items = itemsOf(entry, row).map(asJson).join(",");
    yield items && separator + items;
    if (items !== "") separator = ",";
  }
  yield `],${asJson(history.end()).slice(1)}`;
}

/** Cannot end the element that it is in; control characters become visible. */
const asJson = (data: unknown): string =>
  JSON.stringify(data, (_, value: unknown) =>
    typeof value === "string" ? withoutControls(value) : value,
  ).replaceAll("<", "\\u003c");
