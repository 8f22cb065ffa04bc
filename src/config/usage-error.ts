/** A mistake on the command line: one sentence, exit code 2. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}

/** Returns `given` if it is one of the names. Throws `UsageError` otherwise. */
export function oneOf<const T extends string>(what: string, names: readonly T[], given: string): T {
  const found = names.find((name) => name === given);
  if (found) return found;
  throw new UsageError(`${what} must be one of ${names.join(", ")}, not ${given}.`);
}
