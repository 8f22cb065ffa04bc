/** What the words of a command are. */

export const programName = (word: string): string => word.replace(/^.*\//, "");

/** The words that are no options. */
export function operandsOf(args: readonly string[]): string[] {
  const end = args.indexOf("--");
  return args.filter((arg, at) => (end !== -1 && at > end) || !arg.startsWith("-"));
}

/** Options of git itself that have a word of their own. */
const takesWord =
  /^(?:-c|-C|--(?:git-dir|work-tree|namespace|exec-path|config-env|attr-source|super-prefix))$/;

export type GitCall = {
  verb: string;
  /** Behind the subcommand. */
  args: readonly string[];
  /** The folders of -C, from where it runs. */
  folders: readonly string[];
  /** Nothing else stands before the subcommand: no settings, no other repository. */
  isPlain: boolean;
};

/** `words`: all behind "git". */
export function readGit(words: readonly string[]): GitCall {
  const folders: string[] = [];
  let isPlain = true;
  let at = 0;
  for (let word = words[at]; word?.startsWith("-"); word = words[at]) {
    if (word === "-C") folders.push(words[at + 1] ?? "");
    else isPlain &&= /^(?:-P|--no-pager|--no-optional-locks)$/.test(word);
    at += takesWord.test(word) ? 2 : 1;
  }
  return { verb: words[at] ?? "", args: words.slice(at + 1), folders, isPlain };
}
