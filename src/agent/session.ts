import { Projection } from "../context/view.ts";
import { measure } from "../context/meter.ts";
import type { MeterReading, View } from "../context/types.ts";
import type { SessionLog } from "../log/log.ts";
import type { Entry, EntryId, Fact } from "../protocol/entry.ts";
import type { AgentEvent } from "../protocol/event.ts";
import type { ModelRules } from "../protocol/model.ts";
import type { Policy } from "../protocol/policy.ts";

/**
 * The log and what follows from it: the one place where the agent appends, so that the view can
 * never lag behind the facts.
 */
export class Session {
  readonly log: SessionLog;
  readonly policy: Policy;
  rules: ModelRules;
  readonly #now: () => number;
  /** Null until somebody looks: the path of a long session is walked after the screen is up. */
  #projection: Projection | null = null;

  constructor(log: SessionLog, policy: Policy, rules: ModelRules, now: () => number) {
    this.log = log;
    this.policy = policy;
    this.rules = rules;
    this.#now = now;
  }

  get view(): View {
    this.#projection ??= new Projection(this.log.path);
    return this.#projection.view;
  }

  get reading(): MeterReading {
    return measure(this.view, this.rules, this.policy, this.#now());
  }

  /** Appends below the head, or below `parent`, which moves the head there. */
  async append(fact: Fact, parent?: EntryId | null): Promise<Entry> {
    const moved = parent !== undefined && parent !== this.log.head;
    const entry = await this.log.append(fact, parent === undefined ? undefined : { parent });
    if (moved) this.#projection = null;
    else this.#projection?.push(entry);
    return entry;
  }

  /** `append`, as the event that tells of it. */
  async record(fact: Fact): Promise<AgentEvent> {
    return { type: "entry", entry: await this.append(fact) };
  }
}
