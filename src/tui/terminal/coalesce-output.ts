/**
 * The terminal's output with fewer bytes of the same meaning. Ink steps over every unchanged line
 * with a code of its own; over a slow line (ssh) those are most of what a key costs.
 */

// eslint-disable-next-line no-control-regex -- "cursor to the next line", more than once
const steps = /(?:\x1b\[E){2,}/g;

/** Runs of "next line" as one code with a count. */
export const shorten = (output: string): string =>
  output.replace(steps, (run) => `\x1b[${run.length / 3}E`);

/** `stdout` as it is, but for what strings written to it cost. */
export const coalesceOutput = (stdout: NodeJS.WriteStream): NodeJS.WriteStream =>
  new Proxy(stdout, {
    get(target, property) {
      if (property === "write") {
        return (chunk: string | Uint8Array, ...rest: []) =>
          target.write(typeof chunk === "string" ? shorten(chunk) : chunk, ...rest);
      }
      const value: unknown = Reflect.get(target, property, target);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
