/** PHP as a C-like language: code between tags; the markup around them is not highlighted. */

import { clike } from "@codemirror/legacy-modes/mode/clike";
import type { StreamParser, StringStream } from "@codemirror/streamparser";

type Token = string | null;
type PhpState = { tokenize: ((stream: StringStream, state: PhpState) => Token) | null };

const keywords =
  "abstract and as break case catch class clone const continue declare default do echo else elseif " +
  "empty enum exit extends final finally fn for foreach function global goto if implements include " +
  "include_once instanceof insteadof interface isset list match namespace new or print private " +
  "protected public readonly require require_once return static switch throw trait try unset use " +
  "var while xor yield";
const types =
  "array bool callable float int iterable mixed never null object parent self string void";

const toWordSet = (text: string): Record<string, true> =>
  Object.fromEntries(text.split(" ").map((word) => [word, true]));

export const php: StreamParser<unknown> = clike({
  name: "php",
  keywords: toWordSet(keywords),
  types: toWordSet(types),
  atoms: toWordSet("true false TRUE FALSE NULL"),
  multiLineStrings: true,
  hooks: {
    $(stream: StringStream): Token {
      stream.eatWhile(/\w/);
      return stream.current() === "$this" ? "keyword" : "variable";
    },
    "#"(stream: StringStream): Token | false {
      if (stream.peek() === "[") return false;
      stream.skipToEnd();
      return "comment";
    },
    "<"(stream: StringStream, state: PhpState): Token | false {
      if (stream.match(/^\?(?:php|=)?/)) return "meta";
      const label = stream.match(/^<<["']?([A-Za-z_]\w*)["']?$/);
      if (Array.isArray(label)) {
        state.tokenize = untilLabel(label[1] ?? "");
        return "string";
      }
      const isMarkup =
        stream.match(/^[a-z!/]/i, false) && /^\s*<$/.test(stream.string.slice(0, stream.pos));
      return isMarkup ? markup(stream, state) : false;
    },
    "?"(stream: StringStream, state: PhpState): Token | false {
      if (!stream.eat(">")) return false;
      state.tokenize = markup;
      return "meta";
    },
  },
});

/** The markup around the code, up to the next tag. */
function markup(stream: StringStream, state: PhpState): Token {
  const isTag = stream.skipTo("<?");
  if (!isTag) stream.skipToEnd();
  state.tokenize = isTag ? null : markup;
  return null;
}

/** The text of a heredoc, up to the line that begins with its label. */
const untilLabel =
  (label: string): PhpState["tokenize"] =>
  (stream, state) => {
    const isEnd = new RegExp(`^\\s*${label}\\b`).test(stream.string);
    if (isEnd) stream.match(new RegExp(`^\\s*${label}`));
    else stream.skipToEnd();
    if (isEnd) state.tokenize = null;
    return "string";
  };
