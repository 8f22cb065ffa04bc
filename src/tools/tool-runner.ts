import { rm } from "node:fs/promises";
import { inOneLine } from "../base/escape-terminal.ts";
import { recordChanges } from "./files/record-changes.ts";
import { listed, errorMessage } from "../base/format.ts";
import { findFilePath, type ToolInput, type ToolUseBlock } from "../protocol/block.ts";
import type { Ask } from "../protocol/event.ts";
import type { ToolDefinition } from "../protocol/model.ts";
import { autoNeedsProject, autoNeedsSandbox, type PermissionMode } from "../protocol/permission.ts";
import { acceptedInput, defineTool, parseInput, takesInput } from "./accept.ts";
import { noSuchTool, standIn } from "./foreign-names.ts";
import type { FileChange } from "./files/file-access.ts";
import { judge } from "../trust/judge.ts";
import { holdsKeys } from "../trust/files/sensitive.ts";
import { sessionRuleInWords, settingsRules, type SessionRule } from "../trust/rules/rules.ts";
import { withoutAsking, type Situation, type Verdict } from "../trust/verdict.ts";
import { persistLarge, type ResultPolicy } from "./results.ts";
import type { Sandbox } from "../trust/sandbox/sandbox.ts";
import type { BackgroundShells } from "./shell/background.ts";
import type { Launcher } from "./shell/launch.ts";
import type { EffectFiles } from "./shell/effect-files.ts";
import { leftRunning } from "./shell/process-group.ts";
import { mayWrite, runUndoable, settle, type Undoable } from "./shell/undoable.ts";
import type { Snapshots } from "../snapshots/snapshots.ts";
import {
  textOutput,
  ToolError,
  type Access,
  type Execution,
  type Intent,
  type ToolOutcome,
  type Review,
  type CallOptions,
  type Tool,
  type Toolbox,
  type ToolOutput,
} from "./tool.ts";
import { describeError, type Workspace } from "./workspace.ts";

export type ToolRunnerOptions = {
  /** Where large results and output of commands are kept. */
  resultsDir: string;
  policy: ResultPolicy;
  mode: PermissionMode;
  clock: { now(): number };
  checkpoint: { save(bytes: Uint8Array): Promise<string> };
  /** Where "allow always" saves rules. `add` throws an error that can be shown to the user. */
  savedRules?: { file: string; add(rule: string): void };
  /** Finds a tool that the model learned of after the start. */
  findTool?: ((name: string) => Tool<unknown> | undefined) | undefined;
};

type ToolRunnerDeps = Pick<Situation, "rules" | "folders" | "usesProxy"> & {
  workspace: Workspace;
  background: BackgroundShells;
  isOffered(name: string): boolean;
  watchFiles(watcher: (change: FileChange) => void): void;
  /** Ends running commands and removes temporary files. */
  close(): Promise<void>;
  /** Where a command would start. */
  cwd(): string;
  launcher: Pick<Launcher, "program">;
  snapshots: Snapshots;
  effects: EffectFiles;
  /** Opened on first use; null: this machine cannot confine commands. */
  sandbox(): Promise<Sandbox | null>;
};

/** The result of reviewing a call. */
type Reviewed = {
  access: string | null;
  rule: SessionRule | null;
  execution: Execution | null;
  wasAsked: boolean;
};

const refused: Reviewed = { access: null, rule: null, execution: null, wasAsked: false };

/**
 * Reviews and runs tool calls. A review allows, refuses or asks the user, and only the reviewed call runs.
 * Errors become results; large results become files.
 */
export class ToolRunner implements Toolbox {
  mode: PermissionMode;
  readonly #tools = new Map<string, Tool<unknown>>();
  readonly #options: ToolRunnerOptions;
  readonly #deps: ToolRunnerDeps;
  readonly #reviewed = new Map<string, Reviewed>();
  #definitions: ToolDefinition[] | null = null;
  #hasOffered = false;
  #isProtected: Promise<void> = Promise.resolve();
  /** An opened folder holds the home, or keys. */
  readonly #isWide: boolean;

  constructor(options: ToolRunnerOptions, tools: readonly Tool<unknown>[], deps: ToolRunnerDeps) {
    this.mode = options.mode;
    this.#options = options;
    this.#deps = deps;
    const { workspace, folders } = deps;
    this.#isWide = [workspace.root, ...workspace.added].some((root) => holdsKeys(root, folders));
    for (const tool of tools) this.add(tool);
  }

  /** Adds a tool with late dependencies, if it is offered. */
  add(tool: Tool<unknown>): void {
    if (!this.#deps.isOffered(tool.name)) return;
    this.#tools.set(tool.name, tool);
    this.#definitions = null;
  }

  /** Names of its tools, sorted. */
  get names(): string[] {
    return [...this.#tools.keys()].sort();
  }

  /** Calls `watcher` with every change that a file tool makes from now on. */
  watchFiles(watcher: (change: FileChange) => void): void {
    this.#deps.watchFiles(watcher);
  }

  /** Made on first use: the first screen does not need them. */
  get definitions(): ToolDefinition[] {
    return (this.#definitions ??= this.names.map((name) =>
      defineTool(this.#tool(name), this.#tools),
    ));
  }

  /** Commands that run in the background. */
  get background(): BackgroundShells {
    return this.#deps.background;
  }

  /** Whether commands can be confined on this machine. Tested on first use. */
  async hasSandbox(): Promise<boolean> {
    return (await this.#deps.sandbox()) !== null;
  }

  /** Why there is no mode auto here, in a sentence; null: there is. */
  async whyNoAuto(): Promise<string | null> {
    if (!(await this.hasSandbox())) return autoNeedsSandbox;
    return this.#isWide ? autoNeedsProject : null;
  }

  /**
   * Files and folders that other programs run: writing them is asked about. Calls wait until they are
   * known, and are refused when they cannot be.
   */
  protect(paths: Promise<readonly string[]>): void {
    const isProtected = paths.then((known) => {
      for (const path of known) this.#deps.folders.scripts?.set(path.toLowerCase(), path);
    });
    this.#isProtected = isProtected.catch((error: unknown) => {
      const why = errorMessage(error);
      throw new ToolError(
        `It is not known which scripts hooks and servers run, so no call may: ${why}`,
      );
    });
    // Handled by the first call.
    this.#isProtected.catch(() => undefined);
  }

  /** How our own program is started: confined like an approved command, where that is possible. */
  launchProgram(...program: Parameters<Launcher["program"]>): ReturnType<Launcher["program"]> {
    return this.#deps.launcher.program(...program);
  }

  ownCall(call: ToolUseBlock): ToolUseBlock {
    const ours = this.#find(call.name) ? undefined : this.#tools.get(standIn(call.name) ?? "");
    return ours && takesInput(ours, call.input) ? { ...call, name: ours.name } : call;
  }

  fullInput(call: ToolUseBlock): ToolInput {
    const tool = this.#find(call.name);
    if (!tool) return call.input;
    const input = acceptedInput(tool, call.input);
    const path = findFilePath(input);
    return path === null ? input : { ...input, file_path: this.#deps.workspace.absolute(path) };
  }

  async review(call: ToolUseBlock): Promise<Review> {
    // A refused call does not run, even if it is sent to `run`.
    this.#reviewed.set(call.id, refused);
    try {
      await this.#isProtected;
      const tool = this.#tool(call.name);
      const intent = await tool.intent(parseInput(tool, call.input));
      const judged = await judge(intent.access, this.#situation(tool, intent.access));
      const verdict = this.mode === "dont-ask" ? withoutAsking(judged) : judged;
      if (verdict.verdict === "refuse") return { ...verdict, isDenial: true };
      const review = await this.#reviewOf(tool, intent, verdict, call);
      const rule = verdict.verdict === "ask" ? verdict.rule : null;
      const { execution = null } = verdict;
      const access = JSON.stringify(intent.access);
      const wasAsked = verdict.verdict === "ask";
      if (wasAsked && intent.access.kind === "command") void this.#deps.snapshots.warm();
      this.#reviewed.set(call.id, { access, rule, execution, wasAsked });
      return review;
    } catch (error) {
      return { verdict: "refuse", reason: explain(call.name, error) };
    }
  }

  allowForSession(call: ToolUseBlock, { save } = { save: false }): void {
    const rule = this.#reviewed.get(call.id)?.rule;
    if (!rule) return;
    this.#deps.rules.add(rule);
    if (!save) return;
    for (const text of settingsRules(rule, call.name)) this.#options.savedRules?.add(text);
  }

  allowForTurn(rules: readonly string[]): void {
    this.#deps.rules.allowForTurn(rules);
  }

  async run(call: ToolUseBlock, options: CallOptions): Promise<ToolOutcome> {
    const { checkpoint, clock, resultsDir, policy } = this.#options;
    const recorder = recordChanges(checkpoint);
    const { changed = [], ...output } = await this.#attempt(call, options, recorder.keep);
    const written = await recorder.finish();
    this.#deps.snapshots.wrote(
      written.map(({ path }) => path),
      recorder.known(),
    );
    const files = [...written, ...changed];
    const name = { ms: clock.now(), tool: call.name, id: call.id };
    const outcome = await persistLarge(output, name, resultsDir, policy);
    if (outcome.file !== undefined) this.#deps.workspace.addResult(outcome.file);
    return files.length === 0 ? outcome : { ...outcome, checkpoint: files };
  }

  /** Processes that commands outside the sandbox left running, such as "sleep (4711)". */
  leftRunning = leftRunning;

  close(): Promise<void> {
    return this.#deps.close();
  }

  settle(): ReturnType<typeof settle> {
    return settle(this.#deps, this.mode !== "bypass");
  }

  get snapshots(): Pick<Snapshots, "whyNone" | "interrupted" | "writing" | "wrote"> {
    return this.#deps.snapshots;
  }

  async discard({ file }: ToolOutcome): Promise<void> {
    if (file !== undefined) await rm(file, { force: true });
  }

  logged(): Promise<void> {
    return this.#deps.snapshots.logged();
  }

  async #attempt(
    call: ToolUseBlock,
    options: CallOptions,
    checkpoint: (path: string) => Promise<void>,
  ): Promise<Undoable> {
    try {
      const tool = this.#tool(call.name);
      const input = parseInput(tool, call.input);
      const { access } = await tool.intent(input);
      const { execution, wasAsked } = this.#takeReviewed(call, access);
      const path = access.kind === "read" || access.kind === "write" ? access.path : null;
      const run = (): Promise<ToolOutput> =>
        tool.run(input, {
          ...options,
          execution: execution ?? undefined,
          path,
          toolUse: call.id,
          checkpoint: async (file) => {
            await this.#deps.snapshots.writing([file]);
            await checkpoint(file);
          },
        });
      if (access.kind === "command" && mayWrite(execution)) {
        const command = { execution, wasAsked, toolUse: call.id, ask: options.ask };
        const tried = () => run().catch((error: unknown) => failed(call.name, error));
        return await runUndoable(this.#deps, access, command, tried);
      }
      const output = await run();
      if (output.mode !== undefined) this.mode = output.mode;
      if (output.opens !== undefined)
        this.#deps.rules.add({ kind: "folder", does: "read", folder: output.opens });
      return output;
    } catch (error) {
      return failed(call.name, error);
    }
  }

  /** The execution that the review chose. Throws when the judged path leads elsewhere by now. */
  #takeReviewed(call: ToolUseBlock, access: Access): Pick<Reviewed, "execution" | "wasAsked"> {
    const reviewed = this.#reviewed.get(call.id);
    if (!reviewed) return { execution: null, wasAsked: false };
    this.#reviewed.delete(call.id);
    if (JSON.stringify(access) === reviewed.access) return reviewed;
    throw new ToolError(
      "The path of this call was changed after it was approved; send the call again.",
    );
  }

  #situation(tool: Tool<unknown>, access?: Access): Situation {
    return {
      ...this.#deps,
      mode: this.mode === "auto" && this.#isWide ? "accept-edits" : this.mode,
      tool: tool.name,
      cwd: (access?.kind === "command" && access.cwd) || this.#deps.cwd(),
      sandbox: () => this.hasSandbox(),
      notRestorable: (paths) => this.#deps.snapshots.notRestorable(paths),
    };
  }

  async #reviewOf(
    tool: Tool<unknown>,
    intent: Intent,
    verdict: Exclude<Verdict, { verdict: "refuse" }>,
    call: ToolUseBlock,
  ): Promise<Review> {
    const { readOnly } = tool;
    if (verdict.verdict === "allow") return { verdict: "allow", readOnly };
    const { warning, rule, access } = verdict;
    const { savedRules } = this.#options;
    const saved = rule ? settingsRules(rule, tool.name) : [];
    const words = rule && sessionRuleInWords(rule, (path) => this.#deps.workspace.show(path));
    const detail = await this.#detailOf(tool, intent, call);
    const ask = {
      title: inOneLine(intent.title),
      ...detail,
      warning: warning === null ? undefined : inOneLine(warning),
      access: access === undefined ? undefined : inOneLine(access),
      description: intent.description,
      rule: words && inOneLine(words),
      ...(savedRules &&
        saved.length > 0 && { always: { rule: listed(saved), file: savedRules.file } }),
      ...((await this.#offersAuto(tool, intent.access)) && { offersAuto: true as const }),
    };
    return { verdict: "ask", readOnly, ask };
  }

  /** The first question of a session about a command that mode auto would run offers that mode. */
  async #offersAuto(tool: Tool<unknown>, access: Access): Promise<boolean> {
    const canOffer = this.mode === "default" || this.mode === "accept-edits";
    if (this.#hasOffered || this.#isWide || !canOffer || access.kind !== "command") return false;
    const situation: Situation = { ...this.#situation(tool, access), mode: "auto" };
    this.#hasOffered = (await judge(access, situation)).verdict === "allow";
    return this.#hasOffered;
  }

  /**
   * Throws `ToolError` when the call would fail, but only if the file may be read without approval:
   * the error says something about its content.
   */
  async #detailOf(
    tool: Tool<unknown>,
    { access, detail, detailKind = "text" }: Intent,
    call: ToolUseBlock,
  ): Promise<Pick<Ask, "detail" | "detailKind">> {
    if (typeof detail === "string") return { detail, detailKind };
    try {
      return { detail: await detail(), detailKind };
    } catch (error) {
      const read = access.kind === "write" ? ({ ...access, kind: "read" } as const) : null;
      if (read && (await judge(read, this.#situation(tool))).verdict === "allow") throw error;
      return { detail: JSON.stringify(call.input, null, 2), detailKind: "text" };
    }
  }

  readonly #find = (name: string) => this.#tools.get(name) ?? this.#options.findTool?.(name);

  #tool(name: string): Tool<unknown> {
    const tool = this.#find(name);
    if (tool) return tool;
    throw new ToolError(noSuchTool(name, this.names));
  }
}

const failed = (tool: string, error: unknown): ToolOutput => ({
  ...textOutput(explain(tool, error)),
  isError: true,
});

const explain = (tool: string, error: unknown): string =>
  error instanceof ToolError ? error.message : `${tool} failed: ${describeError(error)}.`;
