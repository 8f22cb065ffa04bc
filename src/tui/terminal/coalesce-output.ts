/**
 * Shortens the terminal's output. Ink skips each unchanged line with a separate code; over a slow
 * connection those are most of the bytes of a key.
 */

// eslint-disable-next-line no-control-regex -- "cursor to the next line", more than once
const steps = /(?:\x1b\[E){2,}/g;

/** Replaces a run of "next line" codes with one code and a count. */
export const shorten = (output: string): string =>
  output.replace(steps, (run) => `\x1b[${run.length / 3}E`);

/** `stdout`, with every written string shortened. */
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
