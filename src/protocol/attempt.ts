/** The result of `take`, or `otherwise` if it throws, whatever the reason. */
export function attempt<T, Otherwise>(take: () => T, otherwise: Otherwise): T | Otherwise {
  try {
    return take();
  } catch {
    return otherwise;
  }
}
