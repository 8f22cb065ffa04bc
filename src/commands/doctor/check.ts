/** The outcome of a check of `doctor`; `fix` says what to do when it is not ok. */
export type Check = {
  name: string;
  state: "ok" | "warning" | "problem";
  text: string;
  fix?: string;
};

export const ok = (name: string, text: string): Check => ({ name, state: "ok", text });

export const warning = (name: string, text: string, fix: string): Check => ({
  name,
  state: "warning",
  text,
  fix,
});

export const problem = (name: string, text: string, fix: string): Check => ({
  name,
  state: "problem",
  text,
  fix,
});
