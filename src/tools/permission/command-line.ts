/**
 * A command line, taken apart by someone who would rather not understand than misunderstand.
 * What it calls clear is plain words, quotes, pipes, `&&`, `||`, `;` and harmless redirections;
 * of everything else it still gives the commands that it can make out, for warnings only.
 */

export type Word = {
  text: string;
  /** It holds an unquoted `*`, `?` or `[`: the shell may put other words in its place. */
  glob: boolean;
  /** It begins with an unquoted `~`. */
  tilde: boolean;
};

export type SimpleCommand = { words: Word[]; /** Files that are written. */ writes: string[] };

export type CommandLine = {
  /** What stands here is all that the shell will do, word for word. */
  clear: boolean;
  commands: SimpleCommand[];
};

const blank = /[ \t]/;
const glob = /[*?[\]]/;

const isControl = (character: string): boolean => character < " " || character === "\x7f";

export function parseCommandLine(line: string): CommandLine {
  return new Reader(line).read();
}

class Reader {
  readonly #line: string;
  #at = 0;
  #clear = true;
  #commands: SimpleCommand[] = [];
  #words: Word[] = [];
  #writes: string[] = [];
  #word: Word | null = null;
  #expects: "word" | "target" = "word";

  constructor(line: string) {
    this.#line = line;
  }

  read(): CommandLine {
    while (this.#at < this.#line.length) this.#step(this.#line[this.#at] ?? "");
    this.#endCommand();
    return { clear: this.#clear, commands: this.#commands };
  }

  #step(character: string): void {
    this.#at += 1;
    if (blank.test(character)) return this.#endWord();
    switch (character) {
      case "\n":
      case ";":
        return this.#endCommand();
      case "|":
        if (!this.#takes("|") && this.#takes("&")) this.#clear = false;
        return this.#endCommand();
      case "&":
        if (this.#line[this.#at] === ">") return this.#redirect();
        if (!this.#takes("&")) this.#clear = false;
        return this.#endCommand();
      case ">":
        this.#at -= 1;
        return this.#redirect();
      case "<":
        return this.#unclearBreak();
      case "(":
      case ")":
      case "`":
        return this.#unclearBreak();
      case "'":
        return this.#singleQuoted();
      case '"':
        return this.#doubleQuoted();
      case "\\":
        return this.#escaped();
      default:
        return this.#plain(character);
    }
  }

  #plain(character: string): void {
    const starts = this.#word === null;
    if (character === "$") {
      this.#clear = false;
      if (this.#takes("(")) return this.#endCommand();
    }
    // Braces expand or group, `!` negates, `#` hides the rest, a control character is no one's wish.
    if (character === "{" || character === "}" || isControl(character)) this.#clear = false;
    if (starts && (character === "#" || character === "!")) this.#clear = false;
    if (starts && character === "{") return this.#endCommand();
    const word = this.#open();
    if (starts && character === "~") word.tilde = true;
    if (glob.test(character)) word.glob = true;
    word.text += character;
  }

  #singleQuoted(): void {
    const end = this.#line.indexOf("'", this.#at);
    const word = this.#open();
    if (end === -1) this.#clear = false;
    word.text += this.#line.slice(this.#at, end === -1 ? undefined : end);
    this.#at = end === -1 ? this.#line.length : end + 1;
  }

  #doubleQuoted(): void {
    const word = this.#open();
    for (;;) {
      const character = this.#line[this.#at];
      this.#at += 1;
      if (character === undefined) {
        this.#clear = false;
        return;
      }
      if (character === '"') return;
      if (character === "$" || character === "`") {
        this.#clear = false;
        this.#look(character);
      }
      if (character === "\\") {
        const next = this.#line[this.#at] ?? "";
        if (next === "\n") this.#clear = false;
        if (/["\\$`\n]/.test(next)) {
          word.text += next;
          this.#at += 1;
          continue;
        }
      }
      word.text += character;
    }
  }

  /** Commands inside a substitution count as well, as far as they can be made out. */
  #look(opening: string): void {
    const rest = this.#line.slice(this.#at, this.#at + 2_000);
    const inner = opening === "`" ? /^([^`]*)`/.exec(rest) : /^\(([^)]*)\)/.exec(rest);
    if (inner?.[1] !== undefined) this.#commands.push(...parseCommandLine(inner[1]).commands);
  }

  #escaped(): void {
    const next = this.#line[this.#at];
    this.#at += 1;
    if (next === undefined || next === "\n") {
      this.#clear = false;
      return this.#endWord();
    }
    this.#open().text += next;
  }

  /** Clear are only redirections to nowhere and between the two outputs. */
  #redirect(): void {
    if (this.#word && !/^\d$/.test(this.#word.text)) this.#endWord();
    this.#word = null;
    const rest = this.#line.slice(this.#at);
    const joined = /^>&[12-](?=[\s;|&]|$)/.exec(rest);
    if (joined) {
      this.#at += joined[0].length;
      return;
    }
    const arrow = /^(?:>>|>\||>&|>)/.exec(rest);
    this.#at += arrow?.[0].length ?? 1;
    this.#expects = "target";
  }

  #unclearBreak(): void {
    this.#clear = false;
    this.#endCommand();
  }

  #takes(character: string): boolean {
    if (this.#line[this.#at] !== character) return false;
    this.#at += 1;
    return true;
  }

  #open(): Word {
    this.#word ??= { text: "", glob: false, tilde: false };
    return this.#word;
  }

  #endWord(): void {
    const word = this.#word;
    this.#word = null;
    if (word === null) return;
    if (this.#expects === "word") {
      this.#words.push(word);
      return;
    }
    this.#expects = "word";
    if (word.text !== "/dev/null" || word.glob) this.#writes.push(word.text);
  }

  #endCommand(): void {
    this.#endWord();
    if (this.#expects !== "word") this.#clear = false;
    this.#expects = "word";
    if (this.#words.length > 0 || this.#writes.length > 0) {
      this.#commands.push({ words: this.#words, writes: this.#writes });
    }
    this.#words = [];
    this.#writes = [];
  }
}
