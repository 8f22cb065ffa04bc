/** Makes a value when it is first asked for: few schemas are needed for the first frame. */
export function once<T extends object>(make: () => T): () => T {
  let made: T | undefined;
  return () => (made ??= make());
}
