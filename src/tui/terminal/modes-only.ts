// eslint-disable-next-line no-control-regex -- the terminal's own codes
const modes = /\x1b\[\?(?:25|1049)[hl]/g;

/** `stdout` for an Ink app that shows nothing: of what is written, only switches of screen and cursor. */
export const modesOnly = (stdout: NodeJS.WriteStream): NodeJS.WriteStream =>
  new Proxy(stdout, {
    get(target, property) {
      if (property === "write") {
        return (chunk: string, ...rest: []) =>
          target.write((chunk.match(modes) ?? []).join(""), ...rest);
      }
      const value: unknown = Reflect.get(target, property, target);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
