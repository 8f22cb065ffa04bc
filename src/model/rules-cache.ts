import type { ModelRules } from "../protocol/model.ts";

export type FoundRules = {
  rules: ModelRules;
  /** False when the server may answer better next time, such as once it is running. */
  certain: boolean;
  /** The window that the server says it has, in tokens. */
  reportedWindow?: number;
};

/** Asks once per model, and again while the answer is uncertain. */
export function cacheRules(
  find: (model: string) => Promise<FoundRules>,
): (model: string) => Promise<ModelRules> {
  const found = new Map<string, Promise<ModelRules>>();
  return (model) => {
    const known = found.get(model);
    if (known !== undefined) return known;
    const asked = find(model).then(({ rules, certain }) => {
      if (!certain) found.delete(model);
      return rules;
    });
    found.set(model, asked);
    return asked;
  };
}
