/** The agent: commands in, events out. Everything it knows is in the log. */

import type { SessionLog } from "../log/log.ts";
import type { ModelClient } from "../model/client.ts";
import type { UserBlock } from "../protocol/block.ts";
import type { Command } from "../protocol/command.ts";
import type { EntryOf, Fact } from "../protocol/entry.ts";
import type { AgentEvent } from "../protocol/event.ts";
import type { PermissionMode } from "../protocol/permission.ts";
import type { Policy } from "../protocol/policy.ts";
import type { ModelRules } from "../protocol/model.ts";
import { textOf } from "../protocol/block.ts";
import type { Toolbox } from "../tools/tool.ts";
import { AsyncQueue } from "./async-queue.ts";
import type { Clock } from "./clock.ts";
import { PendingApprovals } from "./pending-approvals.ts";
import { runDeferred, type DeferredCommand } from "./deferred-commands.ts";
import type { TurnBoundaries } from "./turn-boundaries.ts";
import { IdleCount } from "./idle-count.ts";
import { Session } from "./session.ts";
import { runTurn } from "./turn.ts";

export type AgentOptions = {
  log: SessionLog;
  model: ModelClient;
  toolbox: Toolbox;
  policy: Policy;
  rules: ModelRules;
  clock: Clock;
  hooks(session: Session): TurnBoundaries;
  /** Facts that stand before the first prompt of this run: session, environment, instructions. */
  opening(): Promise<Fact[]>;
  /** Puts files back as they were before these checkpoints; says what it did. */
  rewindFiles(checkpoints: readonly EntryOf<"checkpoint">[]): Promise<string>;
};

export type Agent = (commands: AsyncIterable<Command>) => AsyncGenerator<AgentEvent, void>;

export function createAgent(parts: AgentOptions): Agent {
  return async function* agent(commands) {
    const events = new AsyncQueue<AgentEvent>();
    const office = new AgentRunner(parts, (event) => events.push(event));
    const work = (async () => {
      for await (const command of commands) office.take(command);
      await office.finish();
    })();
    work.then(
      () => events.close(),
      (error: unknown) => events.close(error instanceof Error ? error : new Error(String(error))),
    );
    yield* events;
  };
}

/** Decides what happens at once, what waits for its turn, and what interrupts. */
class AgentRunner {
  readonly #parts: AgentOptions;
  readonly #emit: (event: AgentEvent) => void;
  readonly #session: Session;
  readonly #hooks: TurnBoundaries;
  readonly #desk = new PendingApprovals();
  readonly #idleCount: IdleCount;
  #prompts: UserBlock[][] = [];
  #errands: DeferredCommand[] = [];
  #stop: AbortController | null = null;
  #working: Promise<void> = Promise.resolve();
  #opened = false;
  /** The mode that the model knows of. */
  #toldMode: PermissionMode;

  constructor(parts: AgentOptions, emit: (event: AgentEvent) => void) {
    this.#parts = parts;
    this.#emit = emit;
    this.#session = new Session(parts.log, parts.policy, parts.rules, () => parts.clock.now());
    this.#hooks = parts.hooks(this.#session);
    this.#idleCount = new IdleCount(this.#session, parts.model);
    this.#toldMode = parts.toolbox.mode;
  }

  take(command: Command): void {
    switch (command.type) {
      case "prompt":
        this.#prompts.push(command.content);
        if (this.#stop) this.#tellQueue();
        break;
      case "answer":
        return this.#desk.answer(command.id, command.answer);
      case "background":
        return this.#desk.sendToBackground(command.toolUse);
      case "review":
        return this.#hooks.review(command.id, command.text);
      case "unqueue":
        this.#prompts = [];
        return this.#tellQueue();
      case "mode":
        this.#parts.toolbox.mode = command.mode;
        this.#emit({ type: "mode", mode: command.mode });
        break;
      case "stop":
        this.#stop?.abort();
        return this.#desk.clear();
      default:
        this.#errands.push(command);
    }
    if (!this.#stop) this.#start();
  }

  /** Resolves when all that was asked for is done. */
  async finish(): Promise<void> {
    while (this.#stop) await this.#working;
    await this.#idleCount.stop();
  }

  #start(): void {
    const stop = new AbortController();
    this.#stop = stop;
    this.#working = this.#work(stop);
  }

  /** Works until nothing waits. Errands come before prompts: they were asked for at a boundary. */
  async #work(first: AbortController): Promise<void> {
    let stop = first;
    await this.#idleCount.stop();
    while (this.#errands.length > 0 || this.#prompts.length > 0) {
      const errand = this.#errands.shift();
      try {
        await this.#open();
        if (errand) await this.#errand(errand, stop.signal);
        else await this.#turn(stop.signal);
      } catch (error) {
        await this.#fail(error);
      }
      if (stop.signal.aborted) this.#stop = stop = new AbortController();
    }
    this.#stop = null;
    this.#idleCount.start(this.#emit);
  }

  async #open(): Promise<void> {
    if (this.#opened) return;
    for (const fact of await this.#parts.opening()) this.#emit(await this.#session.record(fact));
    this.#opened = true;
  }

  async #errand(errand: DeferredCommand, signal: AbortSignal): Promise<void> {
    await this.#run(
      runDeferred(this.#session, this.#parts, this.#hooks, errand, this.#desk, signal),
    );
    this.#emit({ type: "idle", why: signal.aborted ? "stopped" : "done" });
  }

  async #turn(signal: AbortSignal): Promise<void> {
    const { toolbox, model, clock } = this.#parts;
    await this.#tellMode(toolbox.mode);
    for (const content of this.#takeQueued())
      this.#emit(await this.#session.record({ type: "user", content }));
    const end = await this.#run(
      runTurn(
        {
          session: this.#session,
          hooks: this.#hooks,
          asking: this.#desk,
          toolbox,
          model,
          clock,
          takeQueued: () => this.#takeQueued(),
        },
        signal,
      ),
    );
    this.#desk.clear();
    await this.#run(this.#hooks.turnEnd(signal));
    if (end.why === "failed" && end.message) {
      this.#emit(await this.#session.record({ type: "note", kind: "error", text: end.message }));
    }
    this.#emit({ type: "idle", ...end });
  }

  /** News goes to the end of the conversation; what stands before it is never edited. */
  async #tellMode(mode: PermissionMode): Promise<void> {
    if (mode === this.#toldMode) return;
    this.#toldMode = mode;
    const text = `The permission mode is now “${mode}”${mode === "plan" ? ": nothing may be written or run; look, think, and propose a plan" : ""}.`;
    const content = [{ type: "text" as const, text }];
    this.#emit(await this.#session.record({ type: "context", kind: "mode", title: mode, content }));
  }

  async #run<R>(stream: AsyncGenerator<AgentEvent, R>): Promise<R> {
    for (;;) {
      const step = await stream.next();
      if (step.done) return step.value;
      this.#emit(step.value);
    }
  }

  /** What nobody foresaw still ends in a sentence, and the session goes on. */
  async #fail(error: unknown): Promise<void> {
    const message = error instanceof Error ? error.message : String(error);
    this.#desk.clear();
    await this.#session
      .record({ type: "note", kind: "error", text: message })
      .then(this.#emit, () => undefined);
    this.#emit({ type: "idle", why: "failed", message });
  }

  #takeQueued(): UserBlock[][] {
    const taken = this.#prompts;
    this.#prompts = [];
    if (taken.length > 0) this.#tellQueue();
    return taken;
  }

  #tellQueue(): void {
    this.#emit({ type: "queue", waiting: this.#prompts.map((content) => textOf(content)) });
  }
}
