/** What kind of place a question is after. */

export type Wish = {
  /** Where it is tested, or documented. */
  tests: boolean;
  prose: boolean;
  /** Where something is drawn or shown. */
  screen: boolean;
  /** Who calls or uses it, rather than where it stands. */
  uses: boolean;
};

export const wishOf = (question: string): Wish => ({
  tests: /\b(?:tests?|tested|testing|specs?)\b/i.test(question),
  prose: /\b(?:document(?:ed|ation)?|readme|described|docs?)\b/i.test(question),
  screen:
    /\b(?:draw[ns]?|drawing|render(?:s|ed|ing)?|display(?:s|ed|ing)?|shown?|shows|paint(?:s|ed)?|screen)\b/i.test(
      question.replace(/^(?:please )?show me\b/i, ""),
    ),
  uses: /\b(?:who|what|which \w+)\s+(?:calls?|uses?|imports?|references?|depends on)\b|\b(?:usages?|uses|callers?|references)\s+(?:of|to)\b|\b(?:is|are|gets?)\b.*\b(?:used|called|imported|referenced)\b/i.test(
    question,
  ),
});

const testFile =
  /(?:^|\/)(?:tests?|__tests__|specs?|fixtures?|examples?|bench(?:marks?)?|mocks?|__mocks__)(?:\/|$)|[._-](?:test|spec)s?\.\w+$|(?:^|\/)test_[^/]+$/i;
const proseFile = /\.(?:md|mdx|txt|rst|adoc)$/i;
const dataFile = /\.(?:json|jsonl|lock|lockb|ya?ml|toml|csv|svg|snap|xml|ini|map)$/i;
const screenFile = /\.(?:tsx|jsx|vue|svelte|html|css|qml)$/i;

const screenFolder =
  /(?:^|\/)(?:t?ui|views?|screens?|components?|widgets?|pages|frontend|client)\//i;

export const isTest = (path: string): boolean => testFile.test(path);

/** Points for the kind of file, whatever it says. */
export function kindPoints(path: string, wish: Wish): number {
  let points = -path.split("/").length * 0.1;
  if (isTest(path)) points += wish.tests ? 4 : -5;
  else if (wish.tests) points -= 3;
  if (proseFile.test(path)) points += wish.prose ? 4 : -5;
  if (dataFile.test(path)) points -= 4;
  if (wish.screen && screenFile.test(path)) points += 1.5;
  if (wish.screen && screenFolder.test(path)) points += 1.5;
  return points;
}
