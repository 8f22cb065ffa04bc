/** Terminal input decoded into keys, pastes, mouse reports and focus changes. */

import { expect, test } from "bun:test";
import fc from "../../properties.ts";
import { Decoder, type TerminalEvent } from "../../../src/ui/terminal/terminal-input.ts";

/** Events in short form: chords, "paste:…", "focus:…", "mouse:…". */
function short(event: TerminalEvent): string {
  if (event.type === "key") return event.chord;
  if (event.type === "paste") return `paste:${event.text}`;
  if (event.type === "focus") return `focus:${event.focused}`;
  if (event.type === "status") return "status";
  if (event.type === "background") return event.isLight ? "light" : "dark";
  return `mouse:${event.action}@${event.column},${event.row}`;
}

function decode(...reads: string[]): string[] {
  const decoder = new Decoder();
  return [...reads.flatMap((read) => decoder.push(read)), ...decoder.flush()].map(short);
}

/** A pause after each read, in which a lone Escape becomes a key. */
function decodeSlowly(...reads: string[]): string[] {
  const decoder = new Decoder();
  return reads.flatMap((read) => [...decoder.push(read), ...decoder.flush()]).map(short);
}

test("a report right after Escape loses neither", () => {
  expect(decode("\x1b\x1b[0n")).toEqual(["escape", "status"]);
  expect(decode("\x1b", "\x1b[I", "x")).toEqual(["escape", "focus:true", "x"]);
  expect(decode("\x1b", "\x1b[<0;3;4M")).toEqual(["escape", "mouse:press@2,3"]);
});

const table: [name: string, bytes: string, chords: string[]][] = [
  ["text and Enter in one read", "hi\r", ["h", "i", "enter"]],
  ["arrows", "\x1b[A\x1bOB\x1b[1;5C\x1b[1;3D", ["up", "down", "ctrl+right", "alt+left"]],
  ["arrows of rxvt with Alt", "\x1b\x1b[A", ["alt+up"]],
  [
    "function keys",
    "\x1bOP\x1b[12~\x1b[[C\x1b[24~\x1b[1;2Q",
    ["f1", "f2", "f3", "f12", "shift+f2"],
  ],
  [
    "pages and ends",
    "\x1b[5~\x1b[6;3~\x1b[H\x1b[4~\x1b[1;5F",
    ["pageup", "alt+pagedown", "home", "end", "ctrl+end"],
  ],
  ["Shift-Tab", "\x1b[Z\x1b[9;2u", ["shift+tab", "shift+tab"]],
  [
    "Alt and a key",
    "\x1bb\x1b\r\x1b\x7f\x1b\x1b[B\x1b ",
    ["alt+b", "alt+enter", "alt+backspace", "alt+down", "alt+space"],
  ],
  ["Alt and a letter of two units", "\x1b\u{1F600}x", ["alt+\u{1F600}", "x"]],
  ["a lone Escape", "\x1b", ["escape"]],
  ["Escape and Ctrl-S in one read", "\x1b\x13", ["escape", "ctrl+s"]],
  ["two Escapes", "\x1b\x1b", ["escape", "escape"]],
  ["Alt and what begins a sequence", "\x1b[", ["alt+["]],
  [
    "kitty: Escape, Ctrl-C, Shift-Enter, Alt-Enter",
    "\x1b[27u\x1b[91;5u\x1b[99;5u\x1b[13;2u\x1b[13;3u",
    ["escape", "escape", "ctrl+c", "shift+enter", "alt+enter"],
  ],
  [
    "kitty: text, shifted text, other layouts",
    "\x1b[97u\x1b[97;2u\x1b[97:65;2;65u\x1b[1089::99;5u",
    ["a", "A", "A", "ctrl+c"],
  ],
  ["kitty: releases and locks", "\x1b[97;1:3u\x1b[97;129u\x1b[1;1:3A\x1b[1;129A", ["a", "up"]],
  [
    "kitty: keys of the number pad",
    "\x1b[57400u\x1b[57414u\x1b[57419u\x1b[57441;2u",
    ["1", "enter", "up"],
  ],
  [
    "modifyOtherKeys",
    "\x1b[27;2;13~\x1b[27;5;99~\x1b[27;6;120~",
    ["shift+enter", "ctrl+c", "ctrl+shift+x"],
  ],
  [
    "modifyOtherKeys: Ctrl with I, M and [ are the keys that they always were",
    "\x1b[27;5;105~\x1b[27;5;109~\x1b[27;5;91~",
    ["tab", "enter", "escape"],
  ],
  ["focus", "\x1b[I\x1b[O", ["focus:true", "focus:false"]],
  [
    "mouse",
    "\x1b[<64;10;5Ma\x1b[<65;10;5M\x1b[<0;3;4M\x1b[<0;3;4m\x1b[<35;3;4M",
    ["mouse:wheelUp@9,4", "a", "mouse:wheelDown@9,4", "mouse:press@2,3", "mouse:release@2,3"],
  ],
  ["mouse reports of the old kind", "a\x1b[M`%%b\x1b[Ma!!", ["a", "b"]],
  ["the answer to a status request", "a\x1b[0nb", ["a", "status", "b"]],
  [
    "answers about the background",
    "a\x1b]11;rgb:ffff/ffff/ffff\x1b\\b\x1b]11;rgb:fd/f6/e3\x07\x1b]11;rgba:1e1e/1e1e/2e2e/ffff\x07\x1b]11;rgb:00/80/00\x07",
    ["a", "light", "b", "light", "dark", "dark"],
  ],
  ["other colors", "\x1b]11;red\x07\x1b]10;rgb:ff/ff/ff\x07", []],
  ["replies of the terminal", "\x1b[?1u\x1b[?62;4c\x1b]4;1;rgb:00/00/00\x07\x1bP1+r\x1b\\x", ["x"]],
  ["a paste", "a\x1b[200~x\ry\x1b[31m\x1b[201~b", ["a", "paste:x\ry\x1b[31m", "b"]],
  ["a sequence that another breaks off", "\x1b[1;\x1b[Ax", ["up", "x"]],
];

for (const [name, bytes, wanted] of table) {
  test(name, () => expect(decode(bytes)).toEqual(wanted));
}

test("input split anywhere decodes to the same events", () => {
  for (const [, bytes, wanted] of table) {
    for (let cut = 1; cut < bytes.length; cut++) {
      // Surrogate pairs are never split: bytes are decoded first.
      if (/[\udc00-\udfff]/.test(bytes[cut] ?? "")) continue;
      expect(decode(bytes.slice(0, cut), bytes.slice(cut))).toEqual(wanted);
    }
  }
});

test("a paste loses no bytes, however it is split", () => {
  fc.assert(
    fc.property(fc.array(fc.string({ minLength: 1 }), { maxLength: 8 }), (pieces) => {
      const text = pieces.join("").replaceAll("\x1b[201~", "");
      expect(decode("\x1b[200~", ...pieces, "\x1b[201~").join("")).toBe(`paste:${text}`);
    }),
  );
});

test("no terminal input types a control character", () => {
  const bytes = fc.string({
    unit: fc.constantFrom(..."\x1b[O]<;12~uAM\x07x\x9b"),
  });
  fc.assert(
    fc.property(fc.array(bytes), (reads) => {
      const decoder = new Decoder();
      const events = [...reads.flatMap((read) => decoder.push(read)), ...decoder.flush()];
      const texts = events.map((event) => (event.type === "key" ? event.text : ""));
      // eslint-disable-next-line no-control-regex -- what must not be there
      expect(texts.join("")).not.toMatch(/[\x00-\x1f\x7f-\x9f]/);
    }),
  );
});

test("a large read is a paste, even if the terminal does not mark it", () => {
  expect(decode("y".repeat(1_000))).toEqual([`paste:${"y".repeat(1_000)}`]);
});

const replies = [
  "\x1b]11;rgb:1e1e/1e1e/2e2e\x1b\\",
  "\x1b]10;rgb:ff/ff/ff\x07",
  "\x1b]4;1;rgb:00/00/00\x1b\\",
  "\x1b]52;c;aGVsbG8=\x1b\\",
  "\x1b[?62;4c",
  "\x1b[>41;354;0c",
  "\x1b[?1u",
  "\x1b[?2026;2$y",
  "\x1b[0n",
  "\x1bP>|XTerm(390)\x1b\\",
  "\x1bP1+r544e=787465726d\x1b\\",
  "\x1b_Gi=1;OK\x1b\\",
];

test("replies of the terminal type nothing, wherever a pause splits them", () => {
  for (const reply of replies) {
    for (let cut = 1; cut < reply.length; cut++) {
      const events = decodeSlowly(reply.slice(0, cut), reply.slice(cut), "x");
      const keys = events.filter((event) => !/^(?:x|dark|light|status|escape|alt\+.)$/.test(event));
      expect([reply, cut, ...keys]).toEqual([reply, cut]);
      expect(events.at(-1)).toBe("x");
    }
  }
});

test("a reply byte by byte types nothing", () => {
  for (const reply of replies.slice(0, 4))
    expect(decode(...reply.replace("\x1b\\", "\x07"), "x").at(-1)).toBe("x");
  const decoder = new Decoder();
  const late = [...decoder.push("\x1b"), ...decoder.flush()];
  for (const byte of "]10;rgb:ff/ff/ff\x07x") late.push(...decoder.push(byte));
  expect(late.map(short)).toEqual(["escape", "x"]);
});

test("a reply without an end takes no keys", () => {
  expect(decode("\x1b]11;rgb:1e", "\x03", "a")).toEqual(["ctrl+c", "a"]);
  expect(decodeSlowly("\x1b]11;rgb:1e", "a", "\x1b[A")).toEqual(["a", "up"]);
  expect(decodeSlowly("\x1bP1+r54", "\r")).toEqual(["enter"]);
});

test("what is typed after Escape or Alt stays what it is", () => {
  expect(decodeSlowly("\x1b", "[", "x")).toEqual(["escape", "[", "x"]);
  expect(decodeSlowly("\x1b", "]", "1")).toEqual(["escape", "]", "1"]);
  expect(decode("\x1b", "x")).toEqual(["alt+x"]);
  expect(decodeSlowly("\x1b", "P", "x")).toEqual(["escape", "P", "x"]);
  expect(decodeSlowly("\x1b", "O", "A")).toEqual(["escape", "O", "A"]);
  expect(decodeSlowly("\x1b", "[A")).toEqual(["escape", "up"]);
});

test("a paste whose end is lost ends in silence, and keeps its text", () => {
  expect(decodeSlowly("\x1b[200~one\ntwo", "\x03", "\x1b", "x")).toEqual([
    "paste:one\ntwo",
    "ctrl+c",
    "escape",
    "x",
  ]);
  expect(decodeSlowly("\x1b[200~one\x1b[20", "x")).toEqual(["paste:one", "x"]);
  expect(decodeSlowly("\x1b[200~", "x")).toEqual(["x"]);
});

test("Ctrl-C alone ends a paste whose end is lost, on any keyboard", () => {
  for (const key of ["\x03", "\x1b[99;5u", "\x1b[1089::99;5u", "\x1b[27;5;99~"])
    expect(decode("\x1b[200~one\rtwo", key, "x")).toEqual(["paste:one\rtwo", "x"]);
  expect(decode("\x1b[200~one\x03two\x1b[201~")).toEqual(["paste:one\x03two"]);
});

test("a paste that went on after a silence is still a paste", () => {
  expect(decodeSlowly("\x1b[200~one\r", "two\r\x1b[201~", "x")).toEqual([
    "paste:one\r",
    "paste:two\r",
    "x",
  ]);
  expect(decodeSlowly("\x1b[200~one\x1b[20", "1~", "x\r")).toEqual(["paste:one", "x", "enter"]);
  expect(decode("\x1b[200~a\x1b\x1b[201~b")).toEqual(["paste:a\x1b", "b"]);
});

test("several lines in one read are a paste, even if the terminal does not mark it", () => {
  expect(decode("first\rsecond\rthird")).toEqual(["paste:first\rsecond\rthird"]);
  expect(decode("one\ntwo\n")).toEqual(["paste:one\ntwo\n"]);
  expect(decode("a {\r\n\r\n\tb")).toEqual(["paste:a {\r\n\r\n\tb"]);
  expect(decode("a\r\r", "\rb")).toEqual(["a", "enter", "enter", "enter", "b"]);
  // Keys of a list, over a slow connection.
  expect(decode("jj\rk\r")).toEqual(["j", "j", "enter", "k", "enter"]);
  expect(decode("\x0fkkk\rk\r")).toEqual(["ctrl+o", "k", "k", "k", "enter", "k", "enter"]);
  // Its last line is in the next read.
  const long = "line\r".repeat(250);
  expect(decode(long, "end\r")).toEqual([`paste:${long}`, "paste:end\r"]);
});

test("shortcuts are found by place on keyboards of other scripts", () => {
  const ctrlC = { Russian: 1089, Greek: 968, Arabic: 0x624, Thai: 0xe41, Hindi: 0x92e };
  for (const [layout, code] of Object.entries(ctrlC))
    expect([layout, ...decode(`\x1b[${code};5u\x1b[27;5;${code}~\x1b[${code}::99;5u`)]).toEqual([
      layout,
      "ctrl+c",
      "ctrl+c",
      "ctrl+c",
    ]);
  const others = [1074, 1099, 1079, 1110, 1108].map((code) => `\x1b[${code};5u`).join("");
  expect(decode(others)).toEqual(["ctrl+d", "ctrl+s", "ctrl+p", "ctrl+s", "ctrl+'"]);
  expect(decode("\x1b[1057;6u\x1bс\x1b[1089;3u")).toEqual(["ctrl+shift+c", "alt+c", "alt+c"]);
  // Letters that are typed, and Latin keyboards with other places, stay.
  expect(decode("\x1b[1089u\x1b[1089:1057:99;2u")).toEqual(["с", "С"]);
  expect(decode("\x1b[106::99;5u\x1b[246::59;5u")).toEqual(["ctrl+j", "ctrl+ö"]);
});
