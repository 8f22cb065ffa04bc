import type {
  AgentContext,
  RequestError as RequestErrorType,
  SessionUpdate,
  StopReason,
} from "@agentclientprotocol/sdk";
import type { UserBlock } from "../../protocol/block.ts";
import type { Answer, Command } from "../../protocol/command.ts";
import type { AgentEvent, Ask, TurnEnd } from "../../protocol/event.ts";
import { answering } from "../../run/answering.ts";
import type { BackendSession } from "./backend.ts";
import { answerOf, permissionRequest } from "./permission.ts";
import { Updates } from "./updates.ts";

type Failure = (message: string) => RequestErrorType;

/** One session in an editor. */
export class AcpSession {
  readonly #session: BackendSession;
  readonly #events: AsyncGenerator<AgentEvent, void>;
  readonly #client: Pick<AgentContext, "notify" | "request">;
  readonly #cwd: string;
  readonly #updates: Updates;
  readonly #fail: Failure;
  #busy: Promise<unknown> = Promise.resolve();

  constructor(
    session: BackendSession,
    client: Pick<AgentContext, "notify" | "request">,
    options: { cwd: string; showsCompactions: boolean; fail: Failure },
  ) {
    this.#session = session;
    this.#events = answering(session.events, {
      send: session.send,
      approve: (ask, signal) => this.#ask(ask, signal),
      // An editor has no way to review them.
      acceptsSummaries: false,
    });
    this.#client = client;
    this.#cwd = options.cwd;
    this.#fail = options.fail;
    this.#updates = new Updates(options.cwd, options.showsCompactions);
  }

  /** Runs a turn. Resolves after its last update; rejects with what went wrong. */
  prompt(content: UserBlock[]): Promise<StopReason> {
    const turn = this.#busy.then(() => this.#run(content));
    this.#busy = turn.catch(() => undefined);
    return turn;
  }

  /** Changes something for the next turn. */
  change(command: Command): Promise<void> {
    const changed = this.#busy.then(async () => {
      this.#session.send(command);
      await this.#untilIdle();
    });
    this.#busy = changed.catch(() => undefined);
    return changed;
  }

  cancel(): void {
    this.#session.send({ type: "stop" });
  }

  /** Repeats what happened before. */
  async replay(): Promise<void> {
    for (const entry of this.#session.history) await this.#send(this.#updates.replayed(entry));
    if (this.#session.history.length > 0) await this.#sendUsage();
  }

  async announceCommands(): Promise<void> {
    const availableCommands = this.#session.commands.map(({ name, description, hint }) => {
      return { name, description, ...(hint === "" ? {} : { input: { hint } }) };
    });
    await this.#send([{ sessionUpdate: "available_commands_update", availableCommands }]);
  }

  async close(): Promise<void> {
    this.cancel();
    await this.#session.close();
  }

  async #run(content: UserBlock[]): Promise<StopReason> {
    const { send, commandFor } = this.#session;
    send(commandFor(content));
    const end = await this.#untilIdle();
    await this.#sendUsage();
    if (end.why === "stopped") return "cancelled";
    if (end.why === "done") return "end_turn";
    if (end.limit === "turns") return "max_turn_requests";
    throw this.#fail(end.message ?? "The turn failed.");
  }

  async #untilIdle(): Promise<TurnEnd> {
    for (;;) {
      const { value: event, done } = await this.#events.next();
      if (done) return { why: "failed" };
      switch (event.type) {
        case "idle":
          return event;
        case "entry":
          await this.#send(this.#updates.live(event.entry));
          break;
        case "delta":
          await this.#send(this.#updates.delta(event));
          break;
        case "progress":
          await this.#send(this.#updates.progress(event.toolUse, event.tail));
          break;
        case "mode":
          await this.#send([{ sessionUpdate: "current_mode_update", currentModeId: event.mode }]);
          break;
        default:
      }
    }
  }

  async #ask(ask: Ask, cancellationSignal: AbortSignal): Promise<Answer> {
    // An editor can approve, but not fill in a form.
    if (ask.form) return { allow: false };
    const request = permissionRequest(this.#session.id, ask, this.#cwd);
    return answerOf(
      await this.#client.request("session/request_permission", request, { cancellationSignal }),
    );
  }

  async #sendUsage(): Promise<void> {
    const { usedTokens, windowTokens, costUsd } = this.#session.meter();
    const cost = { amount: costUsd, currency: "USD" };
    await this.#send([
      { sessionUpdate: "usage_update", used: usedTokens, size: windowTokens, cost },
    ]);
  }

  async #send(updates: readonly SessionUpdate[]): Promise<void> {
    const sessionId = this.#session.id;
    for (const update of updates)
      await this.#client.notify("session/update", { sessionId, update });
  }
}
