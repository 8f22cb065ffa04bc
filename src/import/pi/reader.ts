import { basename } from "node:path";
import { branchesOf, type TreeNode } from "../branches.ts";
import { parseJson, timeOf } from "../json.ts";
import { LeftOut } from "../left-out.ts";
import type { Place, Scribe } from "../scribe.ts";
import type { Reader, Reading } from "../source.ts";
import type { SourceFile } from "../source-file.ts";
import { isPiHeader, isPiLine, lineSchema, type PiLine } from "./line.ts";
import { tellLine } from "./tell.ts";

type Node = TreeNode & {
  offset: number;
  bytes: number;
  /** As its children name their parent; null: they do not. */
  parentId: string | null;
  /** A result answers this call. */
  call: string | null;
};

export const pi: Reader = {
  agent: "pi",
  knows: isPiLine,
  read(file: SourceFile): Reading {
    const scan = new Scan();
    const take = (text: string, offset: number, bytes: number): boolean => {
      if (text.trim() === "") return true;
      const json = parseJson(text);
      if (json === undefined) return false;
      const parsed = lineSchema.safeParse(json);
      if (parsed.success) scan.take(parsed.data, isPiHeader(json), offset, bytes);
      else scan.leftOut.add("lines without a type");
      return true;
    };
    const end = file.eachLine({
      line: ({ text, offset, bytes }) => {
        if (!take(text, offset, bytes)) scan.leftOut.add("lines that are no JSON");
      },
      tooLong: () => scan.leftOut.add("lines of more than 64 MB"),
    });
    let { bytes } = end;
    if (end.rest !== null && end.rest.text.trim() !== "") {
      if (take(end.rest.text, end.rest.offset, end.rest.bytes)) bytes += end.rest.bytes;
      else scan.leftOut.add("half a line at the end");
    }
    scan.link();
    return {
      about: {
        agent: "pi",
        id: scan.id ?? basename(file.path),
        cwd: scan.cwd,
        title: scan.title,
        startedMs: scan.startedMs,
        isSubagent: false,
        bytes,
      },
      leftOut: scan.leftOut,
      hasConversation: scan.hasConversation,
      tell: (scribe) => tell(scan, file, scribe),
    };
  },
};

/** What one look through the file finds. */
class Scan {
  readonly leftOut = new LeftOut();
  readonly nodes: Node[] = [];
  readonly byId = new Map<string, number>();
  id: string | null = null;
  cwd: string | null = null;
  title: string | null = null;
  startedMs: number | null = null;
  hasConversation = false;
  /** Position in the file, counting the header, as version 1 names entries. */
  readonly byPosition: number[] = [];
  #isList = false;

  take(line: PiLine, isHeader: boolean, offset: number, bytes: number): void {
    this.byPosition.push(isHeader ? -1 : this.nodes.length);
    if (isHeader) {
      // A forked session may carry the header of the one that it comes from.
      if (this.id !== null) return this.leftOut.add("headers of other sessions");
      this.id = line.id;
      this.cwd = line.cwd;
      this.#isList = (line.version ?? 1) < 2;
      return;
    }
    if (line.type === "session_info") this.title = line.name ?? this.title;
    const speaks = line.message?.role === "user" || line.message?.role === "assistant";
    if (speaks) {
      this.hasConversation = true;
      this.startedMs ??= timeOf(line.message?.timestamp) ?? timeOf(line.timestamp);
    }
    if (line.id !== null && !this.byId.has(line.id)) this.byId.set(line.id, this.nodes.length);
    const call = line.message?.role === "toolResult" ? line.message.toolCallId : null;
    const { parentId } = line;
    this.nodes.push({ parent: -1, parentId: this.#isList ? null : parentId, offset, bytes, call });
  }

  /** An entry whose parent is not there, and every entry of a list, follows the one before it. */
  link(): void {
    for (const [index, node] of this.nodes.entries()) {
      const known = node.parentId === null ? undefined : this.byId.get(node.parentId);
      const isRoot = node.parentId === null && !this.#isList;
      node.parent = known ?? (isRoot ? -1 : index - 1);
    }
  }
}

function tell(scan: Scan, file: SourceFile, scribe: Scribe): void {
  const { nodes, byId, byPosition, leftOut } = scan;
  const root = scribe.place;
  const before: Place[] = [];
  const behind: Place[] = [];
  const told = {
    placeBefore: (id: string | null, position: number | null): Place | null => {
      const index = id !== null ? byId.get(id) : byPosition[position ?? -1];
      return before[index ?? -1] ?? null;
    },
    call: (id: string | null): string | null => nodes[byId.get(id ?? "") ?? -1]?.call ?? null,
  };
  for (const { fork, nodes: way } of branchesOf(nodes, nodes.length - 1)) {
    scribe.goTo(behind[fork] ?? root);
    for (const index of way) {
      const node = nodes[index];
      if (!node) continue;
      before[index] = scribe.place;
      const parsed = lineSchema.safeParse(parseJson(file.lineAt(node)));
      if (parsed.success) tellLine(parsed.data, scribe, leftOut, told);
      else leftOut.add("lines that changed while they were read");
      behind[index] = scribe.place;
    }
  }
}
