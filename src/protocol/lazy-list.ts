/** The source of a lazy list. It may grow. */
interface Elements<T> {
  readonly length: number;
  /** Undefined outside of the list. */
  at(index: number): T | undefined;
}

/**
 * A list that makes its elements on demand and keeps none: of a million entries, hardly any is read
 * again. To its users it is an array like any other.
 */
export const lazyList = <T>(elements: Elements<T>): readonly T[] =>
  new Proxy<T[]>([], {
    get(array, key) {
      const index = indexOf(key);
      if (index !== null) return elements.at(index);
      return key === "length" ? elements.length : Reflect.get(array, key);
    },
    has(array, key) {
      const index = indexOf(key);
      return index === null ? Reflect.has(array, key) : index < elements.length;
    },
    ownKeys: () => [...Array.from({ length: elements.length }, (_, index) => `${index}`), "length"],
    getOwnPropertyDescriptor(array, key) {
      const index = indexOf(key);
      if (index === null) return Reflect.getOwnPropertyDescriptor(array, key);
      if (index >= elements.length) return undefined;
      return { value: elements.at(index), enumerable: true, configurable: true, writable: false };
    },
    set: () => false,
    defineProperty: () => false,
    deleteProperty: () => false,
  });

/** Null: not an index of an array. */
function indexOf(key: string | symbol): number | null {
  if (typeof key !== "string") return null;
  const first = key.charCodeAt(0);
  return first >= 48 && first <= 57 ? Number(key) : null;
}
