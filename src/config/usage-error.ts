/** A mistake on the command line: one sentence, exit code 2. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}

/** The one of the names that was given. Throws `UsageError` when it is none of them. */
export function oneOf<const T extends string>(what: string, names: readonly T[], given: string): T {
  const found = names.find((name) => name === given);
  if (found) return found;
  throw new UsageError(`${what} must be one of ${names.join(", ")}, not ${given}.`);
}
