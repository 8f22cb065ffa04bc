/** Folds over lists that start like the one before: the messages of a conversation, call by call. */

/**
 * A cached fold over a list, from its first item to its last: of the next list, only the items
 * after the shared start are visited. An item must never change. Lists of one conversation have the
 * same first item; nothing is kept of a conversation whose first item is gone.
 */
export class PrefixFold<Item extends object, State> {
  readonly #start: State;
  readonly #step: (state: State, item: Item, index: number, before: Item | undefined) => State;
  /** By the first item: the last list, and the states after each of its items. */
  readonly #known = new WeakMap<Item, { items: Item[]; states: State[] }>();

  constructor(
    start: State,
    step: (state: State, item: Item, index: number, before: Item | undefined) => State,
  ) {
    this.#start = start;
    this.#step = step;
  }

  over(list: readonly Item[]): State {
    const [first] = list;
    if (!first) return this.#start;
    const known = this.#known.get(first) ?? { items: [], states: [] };
    this.#known.set(first, known);
    const { items, states } = known;
    const shared = sharedLength(items, list);
    items.length = shared;
    states.length = shared;
    for (const item of list.slice(shared)) {
      states.push(this.#step(states.at(-1) ?? this.#start, item, items.length, items.at(-1)));
      items.push(item);
    }
    return states.at(-1) ?? this.#start;
  }
}

/** How many items two lists begin with that are the same objects. */
function sharedLength(one: readonly object[], other: readonly object[]): number {
  let shared = 0;
  while (shared < one.length && one[shared] === other[shared]) shared++;
  return shared;
}
