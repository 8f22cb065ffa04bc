import type { ModelRules } from "../protocol/model.ts";

/** `certain` is false when the server may answer better next time, such as once it is running. */
export type FoundRules = { rules: ModelRules; certain: boolean };

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
