import type { ModelClient } from "../model/client.ts";
import { costOf } from "../protocol/model.ts";
import type { Search } from "../tools/web/web-search.ts";

/** Searches through the model's server, priced; null when it cannot search. */
export function searchThrough(model: ModelClient): Search | null {
  if (!model.searchWeb) return null;
  const searchWeb = model.searchWeb.bind(model);
  return async (search, signal) => {
    const { usage, model: name, ...found } = await searchWeb(search, signal);
    const { prices } = await model.rules(name);
    return { ...found, spent: { model: name, usage, usd: costOf(usage, prices) } };
  };
}
