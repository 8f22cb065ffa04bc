/** The outcome of one check. `fix` says what to do when it is not ok. */
export type Check = {
  name: string;
  state: "ok" | "warning" | "problem";
  text: string;
  fix?: string;
};

export const ok = (name: string, text: string): Check => ({ name, state: "ok", text });

export const warning = (name: string, text: string, fix: string): Check => {
  return { name, state: "warning", text, fix };
};

export const problem = (name: string, text: string, fix: string): Check => {
  return { name, state: "problem", text, fix };
};

/** One line per check, with its fix below. Plain words, for screen readers and scripts. */
export function formatChecks(checks: readonly Check[]): string {
  const width = Math.max(...checks.map(({ name }) => name.length));
  return checks
    .flatMap(({ name, state, text, fix }) => [
      `${state.padEnd(7)}  ${name.padEnd(width)}  ${text}`,
      ...(fix === undefined ? [] : [`${" ".repeat(width + 11)}Fix: ${fix}`]),
    ])
    .map((line) => `${line.replace(/\p{Cc}+/gu, " ")}\n`)
    .join("");
}
