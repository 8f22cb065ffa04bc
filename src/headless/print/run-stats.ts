import { type ToolUseBlock, blockText } from "../../protocol/block.ts";
import type { BudgetState } from "../../protocol/budget.ts";
import { billedFor, spentElsewhere } from "../../protocol/billed.ts";
import type { Entry, EntryOf } from "../../protocol/entry.ts";
import type { AgentCommand } from "../../protocol/command.ts";
import type { AgentEvent, TurnEnd } from "../../protocol/event.ts";
import type { RunningSubagent } from "../../protocol/subagent-definition.ts";
import {
  type ModelRules,
  type Stop,
  type Usage,
  addUsage,
  callCost,
  noUsage,
} from "../../protocol/model.ts";

/** Usage and cost of one model in a run. */
export type ModelTotals = { usage: Usage; costUsd: number; rules: ModelRules };

/** One turn, from its command to its end. */
export type TurnReport = {
  end: TurnEnd;
  /** The model's last text. */
  answer: string;
  calls: number;
  usage: Usage;
  stop: Stop | null;
  durationMs: number;
  /** The time that calls of the model took. */
  apiMs: number;
  denied: ToolUseBlock[];
  /** The answer in the form that was required. */
  structured?: unknown;
  /** Cost of the whole run so far. */
  totalUsd: number;
  /** The caps on spending; none: empty. */
  budget: readonly BudgetState[];
  models: ReadonlyMap<string, ModelTotals>;
};

/** How a run without a screen is printed: as text, as JSON, or as a line of JSON for each event. */
export interface Shape {
  /** A turn starts with this command; null: the agent started it by itself. */
  begin?(command: AgentCommand | null): void;
  event(event: AgentEvent): void;
  /** Something happened in a subagent. */
  nested?(subagent: RunningSubagent, event: AgentEvent): void;
  /** The turn has ended. */
  end(report: TurnReport): void;
}

/** The tool with which a model answers in a required form. */
const structuredOutput = "StructuredOutput";

type Turn = Omit<TurnReport, "end" | "durationMs" | "totalUsd" | "budget" | "models"> & {
  startMs: number;
};

/** Counts what a run does, per turn and in total. */
export class RunStats {
  readonly #rulesOf: (model: string) => Promise<ModelRules>;
  readonly #models = new Map<string, ModelTotals>();
  /** Calls without a result. */
  readonly #calls = new Map<string, ToolUseBlock>();
  #model: string;
  #turn: Turn;
  #budget: readonly BudgetState[] = [];

  /** `model`: the first model of the run. `rulesOf`: finds the rules of a model, with its prices. */
  constructor(model: string, rulesOf: (model: string) => Promise<ModelRules>) {
    this.#model = model;
    this.#rulesOf = rulesOf;
    this.#turn = this.#newTurn();
  }

  begin(): void {
    this.#turn = this.#newTurn();
  }

  /** Counts a subagent's denials; its usage comes with its report. */
  addOfSubagent(event: AgentEvent): void {
    if (event.type === "denied") this.#noteDenied(event.toolUse);
    if (event.type === "entry") this.#noteCalls(event.entry);
  }

  /** US dollars, of all turns so far. */
  get totalUsd(): number {
    return this.#models.values().reduce((sum, { costUsd }) => sum + costUsd, 0);
  }

  async add(event: AgentEvent): Promise<void> {
    if (event.type === "compaction" && event.state.step === "failed")
      this.#turn.answer = event.state.message;
    if (event.type === "denied") this.#noteDenied(event.toolUse);
    if (event.type === "budget") this.#budget = event.budget;
    if (event.type !== "entry") return;
    const { entry } = event;
    if (entry.type === "session" || entry.type === "model") this.#model = entry.model;
    if (entry.type === "assistant") this.#addAnswer(entry);
    if (entry.type === "result" && entry.tool === structuredOutput && !entry.isError)
      this.#turn.structured = this.#calls.get(entry.toolUse)?.input;
    this.#noteCalls(entry);
    const usage = billedFor(entry);
    if (usage) await this.#bill(entry.type === "assistant" ? entry.model : this.#model, usage);
    const elsewhere = spentElsewhere(entry);
    if (elsewhere) await this.#bill(elsewhere.model, elsewhere.usage);
  }

  end(end: TurnEnd): TurnReport {
    const { startMs, ...turn } = this.#turn;
    return {
      ...turn,
      end,
      durationMs: Math.round(performance.now() - startMs),
      totalUsd: this.totalUsd,
      budget: this.#budget,
      models: this.#models,
    };
  }

  #newTurn(): Turn {
    const startMs = performance.now();
    return { answer: "", calls: 0, usage: noUsage, stop: null, apiMs: 0, denied: [], startMs };
  }

  #addAnswer(answer: EntryOf<"assistant">): void {
    const { content, stop, at, sentAt } = answer;
    const turn = this.#turn;
    const text = blockText(content).trim();
    if (text !== "") turn.answer = text;
    turn.apiMs += Date.parse(at) - Date.parse(sentAt);
    if (stop === "failed") return;
    turn.calls++;
    turn.stop = stop;
  }

  #noteCalls(entry: Entry): void {
    if (entry.type === "result") this.#calls.delete(entry.toolUse);
    if (entry.type !== "assistant") return;
    for (const block of entry.content)
      if (block.type === "tool_use") this.#calls.set(block.id, block);
  }

  /** Before its result comes. */
  #noteDenied(toolUse: string): void {
    const call = this.#calls.get(toolUse);
    if (call) this.#turn.denied.push(call);
  }

  async #bill(model: string, usage: Usage): Promise<void> {
    this.#turn.usage = addUsage(this.#turn.usage, usage);
    const rules = this.#models.get(model)?.rules ?? (await this.#rulesOf(model));
    const { usage: before = noUsage, costUsd = 0 } = this.#models.get(model) ?? {};
    this.#models.set(model, {
      rules,
      usage: addUsage(before, usage),
      costUsd: costUsd + callCost(usage, rules.prices),
    });
  }
}
