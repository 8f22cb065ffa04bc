import type { ToolUseBlock } from "../protocol/block.ts";
import type { ToolDefinition } from "../protocol/model.ts";
import type { PermissionMode } from "../protocol/permission.ts";
import { CheckpointRecorder } from "./checkpoint-recorder.ts";
import { defineTool, parseInput } from "./define.ts";
import { judge, type Verdict } from "./permission/judge.ts";
import { ruleInWords, SessionRules, type SessionRule } from "./permission/rules.ts";
import type { HomeFolders } from "./permission/sensitive.ts";
import { persistLarge, type ResultPolicy } from "./results.ts";
import type { Tasks } from "./shell/tasks.ts";
import {
  ToolError,
  type Intent,
  type ToolOutcome,
  type Review,
  type RunOptions,
  type Tool,
  type Toolbox,
  type ToolOutput,
} from "./tool.ts";
import { codeOf, type Workspace } from "./workspace.ts";

export type ToolRunnerOptions = {
  resultsDir: string;
  policy: ResultPolicy;
  mode: PermissionMode;
  clock: { now(): number };
  checkpoint: { save(bytes: Uint8Array): Promise<string> };
};

export type ToolRunnerDeps = {
  workspace: Workspace;
  folders: HomeFolders;
  tasks: Tasks;
  /** Where a command would start. */
  cwd(): string;
};

/** What was found out about a call before it runs. */
type Reviewed = { access: string | null; rule: SessionRule | null };

export class ToolRunner implements Toolbox {
  readonly definitions: ToolDefinition[];
  mode: PermissionMode;
  readonly #tools: ReadonlyMap<string, Tool<unknown>>;
  readonly #options: ToolRunnerOptions;
  readonly #parts: ToolRunnerDeps;
  readonly #rules = new SessionRules();
  readonly #reviewed = new Map<string, Reviewed>();

  constructor(options: ToolRunnerOptions, tools: readonly Tool<unknown>[], parts: ToolRunnerDeps) {
    const sorted = tools.toSorted((a, b) => (a.name < b.name ? -1 : 1));
    this.#tools = new Map(sorted.map((tool) => [tool.name, tool]));
    this.definitions = sorted.map(defineTool);
    this.mode = options.mode;
    this.#options = options;
    this.#parts = parts;
  }

  async review(call: ToolUseBlock): Promise<Review> {
    try {
      const tool = this.#tool(call.name);
      const intent = await tool.intent(parseInput(tool, call.input));
      const verdict = await this.#judge(tool, intent);
      const rule = verdict.verdict === "ask" ? verdict.rule : null;
      this.#reviewed.set(call.id, { access: accessOf(intent), rule });
      return this.#reviewOf(tool, intent, verdict);
    } catch (error) {
      // The call will fail by itself, harmlessly and in words; it must not do anything else.
      this.#reviewed.set(call.id, { access: null, rule: null });
      return error instanceof ToolError
        ? { verdict: "allow", readOnly: true }
        : { verdict: "refuse", reason: wordsOf(call.name, error) };
    }
  }

  allowForSession(call: ToolUseBlock): void {
    const rule = this.#reviewed.get(call.id)?.rule;
    if (rule) this.#rules.add(rule);
  }

  async run(call: ToolUseBlock, options: RunOptions): Promise<ToolOutcome> {
    const { checkpoint, clock, resultsDir, policy } = this.#options;
    const keeper = new CheckpointRecorder(checkpoint);
    const output = await this.#attempt(call, options, keeper);
    const files = await keeper.finish();
    const name = { ms: clock.now(), tool: call.name, id: call.id };
    const outcome = await persistLarge(output, name, resultsDir, policy);
    return files.length === 0 ? outcome : { ...outcome, checkpoint: files };
  }

  close(): Promise<void> {
    return this.#parts.tasks.close();
  }

  async #attempt(
    call: ToolUseBlock,
    options: RunOptions,
    keeper: CheckpointRecorder,
  ): Promise<ToolOutput> {
    try {
      const tool = this.#tool(call.name);
      const input = parseInput(tool, call.input);
      await this.#refuseIfOther(call, tool, input);
      return await tool.run(input, {
        ...options,
        toolUse: call.id,
        checkpoint: (path) => keeper.keep(path),
      });
    } catch (error) {
      return { content: [{ type: "text", text: wordsOf(call.name, error) }], isError: true };
    }
  }

  /** What runs is what was judged: no path may lead elsewhere since, and no failure turn to success. */
  async #refuseIfOther(call: ToolUseBlock, tool: Tool<unknown>, input: unknown): Promise<void> {
    const reviewed = this.#reviewed.get(call.id);
    if (!reviewed) return;
    this.#reviewed.delete(call.id);
    const access = accessOf(await tool.intent(input));
    if (access === reviewed.access) return;
    throw new ToolError("What this call would touch changed after it was judged; send it again.");
  }

  #judge(tool: Tool<unknown>, intent: Intent): Promise<Verdict> {
    const { workspace, folders, cwd } = this.#parts;
    return judge(intent.access, {
      mode: this.mode,
      rules: this.#rules,
      workspace,
      folders,
      tool: tool.name,
      cwd: cwd(),
    });
  }

  #reviewOf(tool: Tool<unknown>, intent: Intent, verdict: Verdict): Review {
    const { readOnly } = tool;
    switch (verdict.verdict) {
      case "allow":
        return { verdict: "allow", readOnly };
      case "refuse":
        return verdict;
      case "ask": {
        const { warning, rule } = verdict;
        const { title, detail, detailKind } = intent;
        const words = rule
          ? ruleInWords(rule, (path) => this.#parts.workspace.show(path))
          : "nothing: such a call is asked every time";
        const warned = warning === null ? title : `${title} - ${warning}`;
        return {
          verdict: "ask",
          readOnly,
          ask: { title: warned, detail, detailKind, rule: words },
        };
      }
      default:
        return verdict satisfies never;
    }
  }

  #tool(name: string): Tool<unknown> {
    const tool = this.#tools.get(name);
    if (tool) return tool;
    const known = [...this.#tools.keys()].join(", ");
    throw new ToolError(`There is no tool ${name}; there are ${known}.`);
  }
}

const accessOf = (intent: Intent): string => JSON.stringify(intent.access);

const wordsOf = (tool: string, error: unknown): string =>
  error instanceof ToolError ? error.message : `${tool} failed: ${codeOf(error)}.`;
