/** The agent: commands in, events out. Everything it knows is in the log. */

import { AsyncQueue } from "../base/async-queue.ts";
import type { AgentOptions } from "./options.ts";
import type { AgentRunner } from "./runner.ts";
import { Session } from "./session.ts";
import { toError } from "../base/guards.ts";
import { rulesFor } from "../context/rules/window.ts";
import { LiveView } from "../context/view/view.ts";
import type { AgentCommand, Answer } from "../protocol/command.ts";
import type { CheckpointFact } from "../protocol/entry.ts";
import type { AgentEvent, Ask, Events } from "../protocol/event.ts";
import type { ModelRules } from "../protocol/model.ts";

export interface Agent {
  /** Runs commands until they end. One run at a time. */
  run(commands: AsyncIterable<AgentCommand>): Events;
  /**
   * Stops what is running and takes no more commands. Resolves once the partial answer and the
   * results of running calls are in the log, or after eight seconds.
   */
  close(): Promise<void>;
  /** Asks the user for a subagent in the background, at any time; denied once `signal` aborts. */
  ask(ask: Ask, signal: AbortSignal): Promise<Answer>;
  /** A subagent changed these files: a rewind of this session undoes that, too. */
  changed(files: CheckpointFact["files"]): void;
  /** Rules of the next call's model, with the window that its server reported. */
  readonly rules: ModelRules;
}

/** `live`: the view of the log, if it is shared. */
export function createAgent(options: AgentOptions, live = new LiveView(options.log)): Agent {
  let runner: AgentRunner | null = null;
  let session: Session | null = null;
  let starting: Promise<AgentRunner> | null = null;
  let isClosed = false;
  return {
    async *run(commands) {
      const events = new AsyncQueue<AgentEvent>();
      const { log, policy, rules, clock, spending } = options;
      if (isClosed) return;
      const opened = new Session(log, policy, rules, () => clock.now(), spending, live);
      opened.effort = options.effort ?? null;
      session = opened;
      starting = (async () => {
        const { AgentRunner } = await import("./runner.ts");
        const boundaries = await options.boundaries(opened);
        return new AgentRunner(options, opened, boundaries, (event) => events.push(event));
      })();
      const current = await starting;
      runner = current;
      const work = (async () => {
        for await (const command of commands) current.take(command);
        await current.finish();
      })();
      work.then(
        () => events.close(),
        (error: unknown) => events.close(toError(error)),
      );
      yield* events;
    },
    async close() {
      // Commands that were sent earlier come first, even those that the runner is loaded for.
      await new Promise((resolve) => setImmediate(resolve));
      isClosed = true;
      await starting?.then(
        () => new Promise((resolve) => setImmediate(resolve)),
        () => undefined,
      );
      await runner?.close();
    },
    ask: async (ask, signal) => (await runner?.ask(ask, signal)) ?? { allow: false },
    changed: (files) => runner?.changed(files),
    get rules() {
      return session?.rules ?? rulesFor(live.view, options.rules);
    },
  };
}
