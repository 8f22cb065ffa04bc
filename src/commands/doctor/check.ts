/** The outcome of a check of `doctor`. */

export type CheckState = "ok" | "warning" | "problem";

/** `fix` says what to do when it is not ok. */
export type Check = { name: string; state: CheckState; text: string; fix?: string };

export const ok = (name: string, text: string): Check => ({ name, state: "ok", text });

export const failing =
  (state: CheckState) =>
  (name: string, text: string, fix: string): Check => ({ name, state, text, fix });

export const warning = failing("warning");
export const problem = failing("problem");
