/** Runs the commands of an agent. Loaded by its run, which the first frame does not wait for. */

import { PendingApprovals } from "./approvals.ts";
import { modeForModel } from "./opening.ts";
import { forward } from "../base/async-queue.ts";
import { registerCompaction, type TurnBoundaries } from "./compaction/at-boundary.ts";
import { type DeferredCommand, runDeferred } from "./deferred-commands.ts";
import { IdleWork } from "./idle-work.ts";
import { Inbox } from "./inbox.ts";
import { runTurn } from "./loop.ts";
import type { AgentContext, AgentOptions } from "./options.ts";
import { listContext, passBoundary, runHooks } from "./hooks.ts";
import type { Session } from "./session.ts";
import { mayImport } from "./permit.ts";
import { sleep } from "../base/clock.ts";
import { errorMessage } from "../base/format.ts";
import type { AgentCommand, Answer } from "../protocol/command.ts";
import { contextFact } from "../protocol/context-fact.ts";
import type { CheckpointFact } from "../protocol/entry.ts";
import type { AgentEvent, Ask, Events } from "../protocol/event.ts";
import type { PermissionMode } from "../protocol/permission.ts";

/**
 * Longest time that closing waits for a running tool to end and its result to be saved, in milliseconds.
 * Docker kills a container 10 seconds after SIGTERM.
 */
const closeMs = 8_000;

/** Still run while the agent closes: these take no time and need no model. */
const runWhileClosing: readonly DeferredCommand["type"][] = ["rename", "remember", "pin"];

/** Decides what happens at once, what waits for a turn boundary, and what interrupts. */
export class AgentRunner {
  readonly #context: AgentContext;
  readonly #emit: (event: AgentEvent) => void;
  readonly #session: Session;
  readonly #boundaries: TurnBoundaries;
  readonly #approvals = new PendingApprovals();
  /** Questions of subagents in the background, which outlive turns. */
  readonly #besideTurns = new PendingApprovals();
  /** Changes of subagents that are not in the log yet. */
  readonly #changed: CheckpointFact["files"] = [];
  readonly #idleWork: IdleWork;
  readonly #unregister: () => void;
  readonly #inbox: Inbox;
  #deferred: DeferredCommand[] = [];
  /** Set while something is running. */
  #stop: AbortController | null = null;
  #working: Promise<void> = Promise.resolve();
  #opened = false;
  #closed = false;
  /** Mode last announced to the model. */
  #announcedMode: PermissionMode;
  #modeRequests = 0;

  constructor(
    options: AgentOptions,
    session: Session,
    boundaries: TurnBoundaries,
    emit: (event: AgentEvent) => void,
  ) {
    this.#context = { ...options, session, boundaries, approvals: this.#approvals };
    this.#emit = emit;
    this.#session = session;
    this.#boundaries = boundaries;
    this.#idleWork = new IdleWork(this.#context);
    this.#announcedMode = options.toolbox.mode;
    this.#inbox = new Inbox(this.#context);
    this.#unregister = registerCompaction(options.hooks, boundaries, this.#approvals);
  }

  take(command: AgentCommand): void {
    if (this.#closed) return;
    switch (command.type) {
      case "prompt":
        this.#inbox.add(command);
        if (this.#stop) this.#emit(this.#inbox.event);
        break;
      case "news": {
        const { title, text, subagent } = command;
        const fact = contextFact("reminder", title, text);
        this.#inbox.addNews(subagent ? { ...fact, subagent } : fact);
        break;
      }
      case "answer":
        this.#besideTurns.answer(command.id, command.answer);
        return this.#approvals.answer(command.id, command.answer);
      case "background":
        return this.#approvals.sendToBackground(command.toolUse);
      case "unqueue":
        this.#inbox.clear();
        return this.#emit(this.#inbox.event);
      case "mode":
        void this.#changeMode(command.mode);
        break;
      case "stop":
        return this.#interrupt();
      default:
        this.#deferred.push(command);
    }
    if (!this.#stop) this.#start();
  }

  /** Resolves when everything that was asked for is done. */
  async finish(): Promise<void> {
    while (this.#stop) await this.#working;
    await this.#forward(this.#boundaries.close());
    await this.#idleWork.stop();
    this.#unregister();
  }

  /** Immediately, so that later changes by the agent to the same files follow in the log. */
  changed(files: CheckpointFact["files"]): void {
    this.#changed.push(...files);
    // Without room for it, it waits for the end of the turn.
    void this.#recordChanges().catch(() => undefined);
  }

  async ask(ask: Ask, signal: AbortSignal): Promise<Answer> {
    if (this.#closed || signal.aborted) return { allow: false };
    const withdraw = (): void => this.#besideTurns.answer(ask.id, { allow: false });
    signal.addEventListener("abort", withdraw, { once: true });
    const answered = this.#besideTurns.ask(ask);
    this.#emit({ type: "ask", ask });
    const answer = await answered;
    this.#emit({ type: "asked", id: ask.id });
    return answer;
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#besideTurns.clear();
    this.#deferred = this.#deferred.filter(({ type }) => runWhileClosing.includes(type));
    this.#interrupt();
    const finished = new AbortController();
    const timeout = sleep(this.#context.clock, closeMs, finished.signal);
    await Promise.race([this.finish(), timeout]);
    finished.abort();
  }

  get #isWaiting(): boolean {
    return this.#deferred.length > 0 || !this.#inbox.isEmpty;
  }

  #interrupt(): void {
    this.#stop?.abort();
    this.#approvals.clear();
  }

  #start(): void {
    const stop = new AbortController();
    this.#stop = stop;
    this.#working = this.#work(stop);
  }

  /** Runs until nothing is waiting; deferred commands come before prompts. */
  async #work(first: AbortController): Promise<void> {
    let stop = first;
    await this.#idleWork.stop();
    while (this.#closed ? this.#deferred.length > 0 : this.#isWaiting) {
      const command = this.#deferred.shift();
      if (!command) this.#emit({ type: "phase", phase: "starting" });
      try {
        await this.#open(stop.signal);
        if (command) await this.#runDeferred(command, stop.signal);
        else await this.#runTurn(stop.signal).finally(() => this.#endTurn());
      } catch (error) {
        // Queued messages would fail too; retry with the next command.
        if (!(await this.#report(error))) break;
      }
      if (stop.signal.aborted) this.#stop = stop = new AbortController();
    }
    this.#stop = null;
    if (this.#closed) return;
    this.#idleWork.start(this.#emit);
  }

  async #open(signal: AbortSignal): Promise<void> {
    if (this.#opened) return;
    const source = this.#session.log.path.length > 0 ? "resume" : "startup";
    const mayRead = (path: string): Promise<boolean> =>
      this.#forward(mayImport(this.#context, path, signal));
    for (const fact of await this.#context.opening(mayRead))
      this.#emit(await this.#session.record(fact));
    this.#opened = true;
    const started = await this.#forward(
      runHooks(this.#context, "SessionStart", { source }, signal),
    );
    for (const fact of listContext("SessionStart", started))
      this.#emit(await this.#session.record(fact));
  }

  async #runDeferred(command: DeferredCommand, signal: AbortSignal): Promise<void> {
    if (command.type === "rewind") await this.#keepWritten();
    await this.#forward(runDeferred(this.#context, command, signal));
    this.#emit({ type: "idle", why: signal.aborted ? "stopped" : "done" });
  }

  async #runTurn(signal: AbortSignal): Promise<void> {
    await this.#announceMode(this.#context.toolbox.mode);
    if (!(await this.#forward(this.#inbox.deliver(signal, false))))
      return this.#emit(
        signal.aborted
          ? { type: "idle", why: "stopped" }
          : { type: "idle", why: "failed", message: this.#inbox.refusal },
      );
    const usual = this.#session.rules.model;
    const asked = this.#inbox.model;
    const useModel = (name: string): Promise<void> =>
      this.#forward(this.#session.useModel(this.#context.model, name));
    if (asked !== null) await useModel(asked);
    const context = {
      ...this.#context,
      goal: () => this.#inbox.goal,
      show: this.#emit,
      deliverPrompts: () => this.#inbox.deliver(signal, true),
    };
    const end = await this.#forward(runTurn(context, signal));
    this.#approvals.clear();
    if (asked !== null) await useModel(usual);
    await this.#forward(passBoundary(context, "TurnEnd", { why: end.why }, signal));
    if (end.why === "failed" && end.message) {
      this.#emit(await this.#session.record({ type: "note", kind: "error", text: end.message }));
    }
    this.#emit({ type: "idle", ...end });
  }

  /** Withdraws the rules that were allowed for the turn only. */
  async #endTurn(): Promise<void> {
    this.#context.toolbox.allowForTurn([]);
    await this.#keepWritten();
  }

  /** So that a rewind undoes what subagents, and commands that were left running, wrote, too. */
  async #keepWritten(): Promise<void> {
    const { toolbox } = this.#context;
    const { files: late, told } = (await toolbox.settle?.()) ?? { files: [], told: [] };
    await this.#recordChanges(late);
    await toolbox.logged?.();
    for (const text of told)
      this.#emit(await this.#session.record({ type: "note", kind: "warning", text }));
  }

  /** Records the files that subagents changed, and `late`. */
  async #recordChanges(late: CheckpointFact["files"] = []): Promise<void> {
    const changed = this.#changed.splice(0);
    const files = [...changed, ...late];
    if (files.length === 0) return;
    try {
      this.#emit(await this.#session.record({ type: "checkpoint", toolUse: "background", files }));
    } catch (error) {
      this.#changed.unshift(...changed);
      throw error;
    }
  }

  async #changeMode(mode: PermissionMode): Promise<void> {
    const { toolbox } = this.#context;
    const request = ++this.#modeRequests;
    const why = mode === "auto" ? ((await toolbox.whyNoAuto?.()) ?? null) : null;
    // Another mode may have been requested while the sandbox was being tried.
    if (request !== this.#modeRequests) return;
    toolbox.mode = why === null ? mode : "accept-edits";
    this.#emit({ type: "mode", mode: toolbox.mode });
    if (why !== null) await this.#noted("info", why);
  }

  /** News is appended to the conversation; what precedes it is never edited. */
  async #announceMode(mode: PermissionMode): Promise<void> {
    if (mode === this.#announcedMode) return;
    this.#announcedMode = mode;
    const { definitions } = this.#context.toolbox;
    const submitsPlans = definitions.some(({ name }) => name === "ExitPlanMode");
    const text = `The permission mode is now ${mode} (${modeForModel(mode, submitsPlans)}).`;
    this.#emit(await this.#session.record(contextFact("mode", mode, text)));
  }

  #forward<R>(events: Events<R>): Promise<R> {
    return forward(events, this.#emit);
  }

  /** Reports an unexpected error; the session continues. Returns false when the log cannot be written. */
  async #report(error: unknown): Promise<boolean> {
    const message = errorMessage(error);
    this.#approvals.clear();
    const isWritable = this.#opened && (await this.#noted("error", message));
    if (!isWritable) this.#emit(this.#inbox.event);
    this.#emit({ type: "idle", why: "failed", message });
    return isWritable;
  }

  /** Returns false when the log cannot be written. */
  async #noted(kind: "info" | "error", text: string): Promise<boolean> {
    try {
      this.#emit(await this.#session.record({ type: "note", kind, text }));
      return true;
    } catch {
      return false;
    }
  }
}
