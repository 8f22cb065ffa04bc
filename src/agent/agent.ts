/** The agent: commands in, events out. Everything it knows is in the log. */

import { rulesFor } from "../context/fit.ts";
import { LiveView } from "../context/live-view.ts";
import type { Command } from "../protocol/command.ts";
import type { AgentEvent } from "../protocol/event.ts";
import { errorOf } from "../base/guards.ts";
import type { ModelRules } from "../protocol/model.ts";
import { AgentRunner, type AgentOptions } from "./agent-runner.ts";
import { AsyncQueue } from "./async-queue.ts";
import { Session } from "./session.ts";

export type { AgentOptions } from "./agent-runner.ts";

export interface Agent {
  /** Runs commands until they end. One run at a time. */
  run(commands: AsyncIterable<Command>): AsyncGenerator<AgentEvent, void>;
  /**
   * Stops what is running and takes no more commands. Resolves once the partial answer and the
   * results of running calls are in the log, or after two seconds.
   */
  close(): Promise<void>;
  /** Rules of the next call's model, with the window that its server reported. */
  readonly rules: ModelRules;
}

/** `live`: the view of the log, if it is shared. */
export function createAgent(options: AgentOptions, live = new LiveView(options.log)): Agent {
  let runner: AgentRunner | null = null;
  let session: Session | null = null;
  return {
    async *run(commands) {
      const events = new AsyncQueue<AgentEvent>();
      const { log, policy, rules, clock, spending } = options;
      session = new Session(log, policy, rules, () => clock.now(), spending, live);
      session.effort = options.effort ?? null;
      const current = new AgentRunner(options, session, (event) => events.push(event));
      runner = current;
      const work = (async () => {
        for await (const command of commands) current.take(command);
        await current.finish();
      })();
      work.then(
        () => events.close(),
        (error: unknown) => events.close(errorOf(error)),
      );
      yield* events;
    },
    async close() {
      // Commands that were sent earlier come first.
      await new Promise((resolve) => setImmediate(resolve));
      await runner?.close();
    },
    get rules() {
      return session?.rules ?? rulesFor(live.view, options.rules);
    },
  };
}
