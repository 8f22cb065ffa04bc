/** The known equivalents of the room `tools`. */

import { all, type Equivalent } from "../equivalent.ts";

export const equivalents: readonly Equivalent[] = [
  ...all("src/tools/files/image.ts", "Whatever the size, all pixels are decoded.", {
    "await decoder(bytes).resize(1, 1).png().bytes();": [
      "await decoder(bytes).resize(2, 1).png().bytes();",
      "await decoder(bytes).resize(1, 2).png().bytes();",
    ],
  }),
  ...all("src/tools/files/image.ts", "An image of one pixel is never too large.", {
    "for (let side = Math.min(longest, maxSide); side >= 1; side = Math.floor(side / 2)) {": [
      "for (let side = Math.min(longest, maxSide); side > 1; side = Math.floor(side / 2)) {",
    ],
  }),
  ...all(
    "src/tools/files/replace-text.ts",
    "No later line can be nearer than an equal one; the search only takes longer.",
    { "if (distance === 0) return at;": [";"] },
  ),
  ...all(
    "src/tools/files/page.ts",
    "Only the stored length of a line that no page shows changes.",
    { "line = takeStart(line, maxLineChars + 1);": ["line = takeStart(line, maxLineChars + 2);"] },
  ),
  ...all("src/tools/files/replace-text.ts", "Positions come in pairs.", {
    "from = raw[index + 1] ?? 0;": ["from = raw[index + 1] ?? 1;"],
  }),
  ...all(
    "src/tools/sandbox/bubblewrap.ts",
    "An /etc/resolv.conf that is an ordinary file is visible in any case.",
    {
      'return real.startsWith("/run/") ? ["--ro-bind", real, real] : [];': [
        'return !(real.startsWith("/run/")) ? ["--ro-bind", real, real] : [];',
      ],
      '...(network === "any" ? nameResolution() : []),': [
        '...(network !== "any" ? nameResolution() : []),',
        "...[],",
      ],
    },
  ),
  ...all("src/tools/sandbox/confiner.ts", "The branch for macOS.", {
    'look === "content\\nopen\\noutside\\nsecret\\n" &&': [
      'look !== "content\\nopen\\noutside\\nsecret\\n" &&',
    ],
    "await rm(top, { recursive: true, force: true });": [
      "rm(top, { recursive: true, force: true });",
    ],
  }),
  ...all("src/tools/sandbox/network/host-proxy.ts", "Only a delay becomes a millisecond longer.", {
    "const connectMs = 30_000;": ["const connectMs = 30001;"],
  }),
  ...all("src/tools/sandbox/programs.ts", "Only how far a chain of links is followed changes.", {
    "const maxLinks = 10;": ["const maxLinks = 11;"],
    "for (let links = 0; links < maxLinks; links += 1) {": [
      "for (let links = 0; links <= maxLinks; links += 1) {",
    ],
  }),
  ...all("src/tools/sandbox/sandbox.ts", "Paths in the workspace are writable without it.", {
    "writable: how.writable.filter((path) => !isIn(roots, path)),": ["writable: how.writable,"],
  }),
  ...all("src/tools/search/batches.ts", "Only how many files one process searches changes.", {
    'const batchBytes = process.platform === "win32" ? 24 * 1024 : 256 * 1024;': [
      'const batchBytes = process.platform !== "win32" ? 24 * 1024 : 256 * 1024;',
    ],
    "bytes += ways.reduce((sum, one) => sum + Buffer.byteLength(one) + 1, 0);": [
      "bytes += ways.reduce((sum, one) => sum + Buffer.byteLength(one) + 1, 1);",
      "bytes += ways.reduce((sum, one) => sum + Buffer.byteLength(one) - 1, 0);",
    ],
  }),
  ...all(
    "src/tools/search/ignore-rules.ts",
    "Only the number of unnecessary checks of rules changes.",
    {
      'const rule = line.trim().replace(/\\/+$/, "");': ['const rule = line.replace(/\\/+$/, "");'],
    },
  ),
  ...all("src/tools/search/ripgrep.ts", "Only how many processes search at once changes.", {
    "const batchesAtOnce = Math.min(availableParallelism(), 12) + 1;": [
      "const batchesAtOnce = Math.min(availableParallelism(), 13) + 1;",
    ],
  }),
  ...all("src/tools/search/ripgrep.ts", "An empty file is searched as well.", {
    "isChecked = true;": [";"],
  }),
  ...all("src/tools/search/ripgrep.ts", "The compiled program, which test:build tests.", {
    'if (import.meta.url.includes("/$bunfs/")) { const beside = join(dirname(process.execPath), name); return existsSync(beside) ? beside : null; }':
      [";"],
  }),
];
