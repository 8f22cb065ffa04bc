/** Every known equivalent. A test fails when an entry no longer matches anything. */

import { all, type Equivalent } from "./equivalent.ts";
import { equivalentsOfLog } from "./equivalents-of-log.ts";

const webp =
  "return { width: little(bytes, 26, 2) & 0x3fff, height: little(bytes, 28, 2) & 0x3fff };";

export const equivalents: readonly Equivalent[] = [
  ...equivalentsOfLog,
  ...all("src/context/meter.ts", "The first entry is the session's own, which is not sent.", [
    "for (let index = 0; index < rows.length; index = after(index)) {",
    "for (let index = 1; index < rows.length; index = after(index)) {",
  ]),
  ...all("src/tools/permission/read-only/git.ts", "Git allows -- without paths after it.", [
    '...(paths.length > 0 ? ["--", ...paths] : []),',
    '...(paths.length >= 0 ? ["--", ...paths] : []),',
  ]),
  ...all("src/project/prompt-files/prompt-file.ts", "Only the first part is used.", [
    'const firstLine = (body: string): string => body.split("\\n", 1)[0]?.replace(/^#+\\s*/, "") ?? "";',
    'const firstLine = (body: string): string => body.split("\\n", 2)[0]?.replace(/^#+\\s*/, "") ?? "";',
  ]),
  ...all("src/run/answering.ts", "No id is used again.", ["open.delete(event.id);", ";"]),
  ...all("src/protocol/by-entry.ts", "Only which numbers share a column changes.", [
    "#count = 0;",
    "#count = 1;",
  ]),
  ...all(
    "src/protocol/clip.ts",
    "A text that fits is returned whole in any case.",
    [
      "return text.length <= chars ? text : text.slice(0, boundaryBefore(text, Math.max(0, chars)));",
      "return text.length < chars ? text : text.slice(0, boundaryBefore(text, Math.max(0, chars)));",
    ],
    ["if (text.length <= chars) return text;", "if (text.length < chars) return text;"],
  ),
  ...all(
    "src/protocol/clip.ts",
    "The text begins with a character that was split, so the character has at least two units.",
    [
      "return graphemes(text.slice(at, at + 2 * longestGrapheme)).containing(0)?.segment.length ?? 0;",
      "return graphemes(text.slice(at, at + 2 * longestGrapheme)).containing(1)?.segment.length ?? 0;",
    ],
  ),
  ...all("src/hooks/events.ts", "Every key is an event: the filter only narrows the type.", [
    "export const hookEvents = Object.keys(subjects).filter(isHookEvent);",
    "export const hookEvents = Object.keys(subjects);",
  ]),
  ...all("src/hooks/registry.ts", "Only the order of the two ranks matters.", [
    "const rank = ({ origin }: Registered<E>) => (origin.isProject ? 0 : 1);",
    "const rank = ({ origin }: Registered<E>) => (origin.isProject ? 0 : 2);",
  ]),
  ...all("src/hooks/run-command.ts", "The result is never used.", [
    'const killGroup = (pid: number): boolean => attempt(() => process.kill(-pid, "SIGKILL"), false);',
    'const killGroup = (pid: number): boolean => attempt(() => process.kill(-pid, "SIGKILL"), true);',
  ]),
  ...all("src/hooks/registry.ts", "Only a delay becomes a millisecond longer.", [
    "const endMs = 2_000;",
    "const endMs = 2001;",
  ]),
  ...all(
    "src/hooks/env-file.ts",
    "Only a shell is started or not: a script of at most one byte sets nothing.",
    ["if ((await stat(file)).size === 0) return { result, variables: {} };", ";"],
    [
      "if ((await stat(file)).size === 0) return { result, variables: {} };",
      "if ((await stat(file)).size === 1) return { result, variables: {} };",
    ],
  ),
  ...all(
    "src/tools/permission/danger/removed.ts",
    "Only the limit of counting changes, by one file.",
    ["const limits = { files: 10_000, ms: 250 };", "const limits = { files: 10001, ms: 250 };"],
  ),
  ...all(
    "src/tools/permission/danger/removed.ts",
    "Only the moment at which counting ends changes, imperceptibly.",
    [
      "if (files > limits.files || performance.now() > until) return null;",
      "if (files > limits.files || performance.now() >= until) return null;",
    ],
  ),
  ...all("src/mcp/open-servers.ts", "Only an empty set of servers is also processed.", [
    "Object.keys(settings.mcpServers).length > 0 ||",
    "Object.keys(settings.mcpServers).length >= 0 ||",
  ]),
  ...all(
    "src/mcp/stdio-transport.ts",
    "Only the message of an error is passed on.",
    [
      'const error = { code: -32_600, message: "Its answer does not follow JSON-RPC." };',
      'const error = { code: 32_600, message: "Its answer does not follow JSON-RPC." };',
    ],
    [
      'const error = { code: -32_600, message: "Its answer does not follow JSON-RPC." };',
      'const error = { code: -32601, message: "Its answer does not follow JSON-RPC." };',
    ],
  ),
  ...all("src/protocol/nesting.ts", "Only empty levels are visited as well.", [
    "for (let depth = 0; depth < most && level.length > 0; depth += 1)",
    "for (let depth = 0; depth < most && level.length >= 0; depth += 1)",
  ]),
  ...all("src/protocol/edit-distance.ts", "A row has a number at every index that is read.", [
    "let cost = Math.min((row[j - 1] ?? 0) + 1, (last[j] ?? 0) + 1, (last[j - 1] ?? 0) + change);",
    "let cost = Math.min((row[j - 1] ?? 0) + 1, (last[j] ?? 0) + 1, (last[j - 1] ?? 1) + change);",
  ]),
  ...all(
    "src/protocol/clip.ts",
    "U+0080 is a control character, which never combines with another.",
    [
      "return before < 0x80 && after < 0x80 && !(before === 0x0d && after === 0x0a);",
      "return before <= 0x80 && after < 0x80 && !(before === 0x0d && after === 0x0a);",
    ],
    [
      "return before < 0x80 && after < 0x80 && !(before === 0x0d && after === 0x0a);",
      "return before < 129 && after < 0x80 && !(before === 0x0d && after === 0x0a);",
    ],
    [
      "return before < 0x80 && after < 0x80 && !(before === 0x0d && after === 0x0a);",
      "return before < 0x80 && after <= 0x80 && !(before === 0x0d && after === 0x0a);",
    ],
    [
      "return before < 0x80 && after < 0x80 && !(before === 0x0d && after === 0x0a);",
      "return before < 0x80 && after < 129 && !(before === 0x0d && after === 0x0a);",
    ],
  ),
  ...all("src/context/marks.ts", "The open exchange begins with an answer, not with a result.", [
    "if (!row || (changed === undefined && at >= openExchange(view))) return null;",
    "if (!row || (changed === undefined && at > openExchange(view))) return null;",
  ]),
  ...all(
    "src/context/bills.ts",
    "Any number means that the entry is known.",
    ["this.#known.set(entry.id, 1);", "this.#known.set(entry.id, 2);"],
    ["this.#known.set(id, 1);", "this.#known.set(id, 2);"],
    ["this.#known.set(entry, 1);", "this.#known.set(entry, 2);"],
  ),
  ...all("src/context/marks.ts", "Only the search is repeated.", [
    "if (known !== -1) return known;",
    ";",
  ]),
  ...all(
    "src/context/ledger-items.ts",
    "One more place is scaled, which is empty.",
    ["#end = 0;", "#end = 1;"],
    ["this.#end = Math.max(this.#end, place + 1);", "this.#end = Math.max(this.#end, place + 2);"],
  ),
  ...all(
    "src/cli/interactive.ts",
    "Only a delay becomes a millisecond longer.",
    ["const afterFirstFrameMs = 300;", "const afterFirstFrameMs = 301;"],
    [
      "return providerNotices(await detectLocalServers({ timeoutMs: 150 }));",
      "return providerNotices(await detectLocalServers({ timeoutMs: 151 }));",
    ],
  ),
  ...all(
    "src/cli/interactive.ts",
    "A session has either no entry or the several that it begins with.",
    ["if (log.path.length > 0) {", "if (log.path.length > 1) {"],
    [
      'if (log.path.length > 0 || label !== "offline") return [];',
      'if (log.path.length > 1 || label !== "offline") return [];',
    ],
  ),
  ...all("src/cli/interactive.ts", "The events of a closed screen are never read.", [
    "commands.close();",
    ";",
  ]),
  ...all(
    "src/tools/sandbox/bubblewrap.ts",
    "An /etc/resolv.conf that is an ordinary file is visible in any case.",
    [
      'return real.startsWith("/run/") ? ["--ro-bind", real, real] : [];',
      'return !(real.startsWith("/run/")) ? ["--ro-bind", real, real] : [];',
    ],
    [
      '...(network === "any" ? nameResolution() : []),',
      '...(network !== "any" ? nameResolution() : []),',
    ],
    ['...(network === "any" ? nameResolution() : []),', "...[],"],
  ),
  ...all(
    "src/tools/sandbox/confiner.ts",
    "The branch for macOS.",
    [
      'look === "content\\nopen\\noutside\\nsecret\\n" &&',
      'look !== "content\\nopen\\noutside\\nsecret\\n" &&',
    ],
    [
      "await rm(top, { recursive: true, force: true });",
      "rm(top, { recursive: true, force: true });",
    ],
  ),
  ...all("src/tools/sandbox/network/host-proxy.ts", "Only a delay becomes a millisecond longer.", [
    "const connectMs = 30_000;",
    "const connectMs = 30001;",
  ]),
  ...all("src/tools/sandbox/sandbox.ts", "Paths in the workspace are writable without it.", [
    "writable: how.writable.filter((path) => !isIn(roots, path)),",
    "writable: how.writable,",
  ]),
  ...all(
    "src/tools/sandbox/programs.ts",
    "Only how far a chain of links is followed changes.",
    ["const maxLinks = 10;", "const maxLinks = 11;"],
    [
      "for (let links = 0; links < maxLinks; links += 1) {",
      "for (let links = 0; links <= maxLinks; links += 1) {",
    ],
  ),
  ...all("src/tools/permission/judge-command.ts", "Read-only commands write nothing in any case.", [
    "effects: false,",
    "effects: true,",
  ]),
  ...all(
    "src/tools/permission/judge-command.ts",
    "Git's configuration is hidden only from read-only commands, and only in the sandbox.",
    ["git: true,", "git: false,"],
    [
      'writableExecution({ network: "any", outside: true, git: true, writable: [] }, source);',
      'writableExecution({ network: "any", outside: true, git: false, writable: [] }, source);',
    ],
  ),
  ...all("src/agent/turn-boundaries.ts", "No request has only one token.", [
    "const counted = sizes && sizes.tokens > 0 ? sizes.tokens : null;",
    "const counted = sizes && sizes.tokens > 1 ? sizes.tokens : null;",
  ]),
  ...all(
    "src/tools/permission/line/unwrap.ts",
    "Only how far nesting is followed changes.",
    ["if (start === -1 || depth > 5) return [];", "if (start === -1 || depth > 6) return [];"],
    ["const maxWords = 50;", "const maxWords = 51;"],
    ["const maxValues = 2;", "const maxValues = 3;"],
  ),
  ...all(
    "src/tools/files/nearest-lines.ts",
    "No later line can be nearer than an equal one; the search only takes longer.",
    ["if (distance === 0) return at;", ";"],
  ),
  ...all(
    "src/tools/files/image.ts",
    "Whatever the size, all pixels are decoded.",
    [
      "await decoder(bytes).resize(1, 1).png().bytes();",
      "await decoder(bytes).resize(2, 1).png().bytes();",
    ],
    [
      "await decoder(bytes).resize(1, 1).png().bytes();",
      "await decoder(bytes).resize(1, 2).png().bytes();",
    ],
  ),
  ...all(
    "src/tools/files/page.ts",
    "Only the stored length of a line that no page shows changes.",
    ["line = takeStart(line, maxLineChars + 1);", "line = takeStart(line, maxLineChars + 2);"],
  ),
  ...all("src/tools/files/replace-text.ts", "Positions come in pairs.", [
    "from = raw[index + 1] ?? 0;",
    "from = raw[index + 1] ?? 1;",
  ]),
  ...all(
    "src/tools/files/open-regular.ts",
    "Matters only if the file is replaced between the check and the open.",
    ["refuseUnlessRegular(stat);", ";"],
    ["await handle.close();", ";"],
  ),
  ...all(
    "src/tools/search/batches.ts",
    "Only how many files one process searches changes.",
    [
      'const batchBytes = process.platform === "win32" ? 24 * 1024 : 256 * 1024;',
      'const batchBytes = process.platform !== "win32" ? 24 * 1024 : 256 * 1024;',
    ],
    [
      "bytes += ways.reduce((sum, one) => sum + Buffer.byteLength(one) + 1, 0);",
      "bytes += ways.reduce((sum, one) => sum + Buffer.byteLength(one) + 1, 1);",
    ],
    [
      "bytes += ways.reduce((sum, one) => sum + Buffer.byteLength(one) + 1, 0);",
      "bytes += ways.reduce((sum, one) => sum + Buffer.byteLength(one) - 1, 0);",
    ],
  ),
  ...all(
    "src/tools/search/ignore-rules.ts",
    "Only the number of unnecessary checks of rules changes.",
    ['const rule = line.trim().replace(/\\/+$/, "");', 'const rule = line.replace(/\\/+$/, "");'],
  ),
  ...all("src/tools/search/ripgrep.ts", "Only how many processes search at once changes.", [
    "const batchesAtOnce = Math.min(availableParallelism(), 12) + 1;",
    "const batchesAtOnce = Math.min(availableParallelism(), 13) + 1;",
  ]),
  ...all("src/tools/search/ripgrep.ts", "An empty file is searched as well.", [
    "isChecked = true;",
    ";",
  ]),
  ...all("src/tools/search/ripgrep.ts", "The compiled program, which test:build tests.", [
    'if (import.meta.url.includes("/$bunfs/")) { const beside = join(dirname(process.execPath), name); return existsSync(beside) ? beside : null; }',
    ";",
  ]),
  ...all("src/agent/repair.ts", "It only searches for images that do not exist.", [
    "false,",
    "true,",
  ]),
  ...all("src/agent/repair.ts", "An answer contains no images.", [
    "const isNew = large.some(({ row }) => row > lastAnswer(view));",
    "const isNew = large.some(({ row }) => row >= lastAnswer(view));",
  ]),
  ...all("src/agent/repair.ts", "An answer contains no images.", [
    "const unanswered = images.filter(({ row }) => row > lastAnswer(view));",
    "const unanswered = images.filter(({ row }) => row >= lastAnswer(view));",
  ]),
  ...all("src/context/char-count.ts", "Only a shortcut: the characters are counted either way.", [
    'if (blocks.length === 1 && first?.type === "text" && first.text !== "") return new OneKind(kind, first.text.length);',
    ";",
  ]),
  ...all("src/context/char-count.ts", "Only a shortcut: a count equals itself.", [
    "if (a === b) return true;",
    ";",
  ]),
  ...all("src/mcp/stdio-transport.ts", "Only the longest message becomes a byte shorter.", [
    "#bytes = 0;",
    "#bytes = 1;",
  ]),
  ...all("src/mcp/clean.ts", "Only how much space may come before the text changes.", [
    'clean(text.slice(0, chars * 4).replace(/\\s+/g, " "), chars).trim();',
    'clean(text.slice(0, chars * 5).replace(/\\s+/g, " "), chars).trim();',
  ]),
  ...all("src/mcp/stdio-transport.ts", "Only a delay becomes a millisecond longer.", [
    "const graceMs = 1_000;",
    "const graceMs = 1001;",
  ]),
  ...all("src/model/discover-window.ts", "Only a delay becomes a millisecond longer.", [
    "const patienceMs = 2_000;",
    "const patienceMs = 2001;",
  ]),
  ...all(
    "src/context/batch.ts",
    "Only a shortcut: no selection of these items frees more than all of them.",
    ["if (freedByAll(items) < minColdTokens) return null;", ";"],
  ),
  ...all("src/context/batch.ts", "There is nothing beyond the last row.", [
    "for (let index = view.rows.length - 1; index >= sentFrom; index--) {",
    "for (let index = view.rows.length + 1; index >= sentFrom; index--) {",
  ]),
  ...all(
    "src/context/clearable.ts",
    "There is nothing beyond the last row.",
    [
      "for (let index = rows.length - 1; index >= sentFrom; index--) {",
      "for (let index = rows.length + 1; index >= sentFrom; index--) {",
    ],
    [
      "for (let index = view.rows.length - 1; index >= sentFrom; index--) {",
      "for (let index = view.rows.length + 1; index >= sentFrom; index--) {",
    ],
  ),
  ...all(
    "src/context/image.ts",
    "The mask leaves the same 14 bits of more bytes.",
    [webp, webp.replace("26, 2", "26, 3")],
    [webp, webp.replace("28, 2", "28, 3")],
  ),
  ...all("src/run/choose-log.ts", "Nothing waits for a log that was only read.", [
    "await log.close();",
    "log.close();",
  ]),
  ...all(
    "src/control/channel.ts",
    "Only memory is saved: a settled promise cannot be settled again.",
    ["this.#pending.delete(request_id);", ";"],
    ["this.#pending.delete(response.request_id);", ";"],
    ["this.#pending.clear();", ";"],
  ),
  ...all("src/agent/repair.ts", "An image of unknown size is not larger than any limit.", [
    "return size ? Math.max(size.width, size.height) : 0;",
    "return size ? Math.max(size.width, size.height) : 1;",
  ]),
  ...all("src/run/run.ts", "Nothing waits for an index, which can be rebuilt at any time.", [
    "await archive.close();",
    "archive.close();",
  ]),
  ...all("src/headless/standard-input.ts", "Only a delay becomes a millisecond longer.", [
    "const firstBytesMs = 3_000;",
    "const firstBytesMs = 3001;",
  ]),
  ...all("src/print/formats.ts", "Only memory changes: without verbose, the last one is printed.", [
    "if (!verbose) messages.length = 0;",
    ";",
  ]),
  ...all("src/headless/headless.ts", "The program ends when the reader is cancelled in any case.", [
    "await channel?.close();",
    "channel?.close();",
  ]),
  ...all("src/project/worktree.ts", "git, which is started next, reads the file later.", [
    'await writeFile(join(folder, ".gitignore"), "*\\n", { flag: "wx" }).catch(() => undefined);',
    'writeFile(join(folder, ".gitignore"), "*\\n", { flag: "wx" }).catch(() => undefined);',
  ]),
  ...all(
    "src/context/summary/compose.ts",
    "Pinned rows beyond the span are included anyway.",
    [
      "const pinned = view.rows.slice(from, to + 1).filter((row) => row.pinned);",
      "const pinned = view.rows.slice(from, to + 2).filter((row) => row.pinned);",
    ],
    [
      "const pinned = view.rows.slice(from, to + 1).filter((row) => row.pinned);",
      "const pinned = view.rows.filter((row) => row.pinned);",
    ],
  ),
  ...all(
    "src/context/summary/compose.ts",
    "The first row is the session entry, which has no text.",
    [
      "const before = [...uncovered({ view, from: 0, to: from - 1 })];",
      "const before = [...uncovered({ view, from: 1, to: from - 1 })];",
    ],
  ),
  ...all(
    "src/context/token-ledger.ts",
    "Pending items have characters, so zero is expected only when none is pending.",
    [
      "const scale = expected > 0 ? measured / expected : 1;",
      "const scale = expected >= 0 ? measured / expected : 1;",
    ],
    [
      "const scale = expected > 0 ? measured / expected : 1;",
      "const scale = expected > 0 ? measured / expected : 2;",
    ],
  ),
  ...all("src/context/view.ts", "An invalid time is in 1970 either way.", [
    "const timeOf = (at: string): number => Date.parse(at) || 0;",
    "const timeOf = (at: string): number => Date.parse(at) || 1;",
  ]),
  ...all("src/context/message-builder.ts", "Only whether the messages are copied changes.", [
    "if (this.#open.size === 0) { this.#lent = true; return this.messages; }",
    ";",
  ]),
  ...all("src/tools/files/image.ts", "An image of one pixel is never too large.", [
    "for (let side = Math.min(longest, maxSide); side >= 1; side = Math.floor(side / 2)) {",
    "for (let side = Math.min(longest, maxSide); side > 1; side = Math.floor(side / 2)) {",
  ]),
  ...all("src/agent/slash-commands.ts", "Only the first part is used.", [
    "title: `${prompt.split(/\\s/, 1)[0]} wants to use these tools without asking`,",
    "title: `${prompt.split(/\\s/, 2)[0]} wants to use these tools without asking`,",
  ]),
  ...all("src/agent/subagents/run-subagent.ts", "Only the first part is used.", [
    'return typeof words === "string" ? (words.split("\\n", 1)[0] ?? "") : "";',
    'return typeof words === "string" ? (words.split("\\n", 2)[0] ?? "") : "";',
  ]),
  ...all("src/agent/tool-calls.ts", "Only the first part is used.", [
    'const line = detail.split("\\n", 1)[0] ?? "";',
    'const line = detail.split("\\n", 2)[0] ?? "";',
  ]),
];
