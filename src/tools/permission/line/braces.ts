const wordsAtMost = 64;

/** `a{b,c}` as `ab` and `ac`; what is no list of this kind stays. */
export function expandBraces(text: string): string[] {
  const done: string[] = [];
  const open = [text];
  for (let one = open.shift(); one !== undefined; one = open.shift()) {
    const group = /\{([^{}]*,[^{}]*)\}/.exec(one);
    if (!group || done.length + open.length > wordsAtMost) {
      done.push(one);
      continue;
    }
    const start = one.slice(0, group.index);
    const end = one.slice(group.index + group[0].length);
    open.push(...(group[1] ?? "").split(",").map((choice) => start + choice + end));
  }
  return done;
}
