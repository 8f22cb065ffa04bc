/** Codes and characters that must never reach a terminal unescaped, by their kinds. */
export const escapeCodes: Record<string, string> = {
  "C0: bell, backspace, form feed, shift out, carriage return": "\x07\x08\x0b\x0c\x0e\x0f\rOVER",
  "CSI: clear, home, move, color, hidden, modes, mouse, scroll region, insert, repeat":
    "\x1b[2J\x1b[H\x1b[10A\x1b[3;3H \x1b[31;7m\x1b[8m \x1b[?1049l\x1b[?25l\x1b[?1003h \x1b[2;3r\x1b[5L\x1b[9b",
  "C1 in UTF-8: CSI, OSC, DCS": "\u009b31m\u009b2J \u009d0;owned\u0007\u0090q\u009c",
  "OSC: title, clipboard, link, notice":
    "\x1b]0;owned\x07\x1b]2;owned\x1b\\ \x1b]52;c;b3duZWQ=\x07\x1b]8;;http://owned\x07\x1b]9;owned\x07",
  "DCS, APC, PM, SOS": "\x1bP+q\x1b\\\x1b_Gowned\x1b\\\x1b^x\x1b\\\x1bXx\x1b\\",
  "an OSC without an end": "\x1b]0;owned",
  "resets, charsets, index, reports": "\x1bc\x1b(0\x1bD\x1bM\x1b7\x1b8\x1b#8\x1b[6n\x1b[c",
  "a sequence in a sequence": "\x1b\x1b[[2J\x1b[\x1b]0;owned\x07",
  "bidirectional overrides, zero width, line separators, tags":
    "\u202Eowned\u202C\u2066\u2069\u200F \u200B\u2060\uFEFF\u2028\u2029 \u{E0001}\u{E0041}\u{E007F}",
  "a pile of combining marks": "e" + "\u0301".repeat(60),
  "a lone surrogate": "\ud800",
};
