import type { ModelClient } from "../model/client.ts";
import type { AgentEvent } from "../protocol/event.ts";
import type { Session } from "./session.ts";

/** Switches the session to another model. Throws `ModelError`. */
export async function* useModel(
  session: Session,
  client: Pick<ModelClient, "rules">,
  model: string,
): AsyncGenerator<AgentEvent, void> {
  const pricesBefore = session.rules.prices;
  const rules = await client.rules(model);
  session.rules = rules;
  yield { type: "rules", rules };
  yield await session.record({ type: "model", model, pricesBefore });
}
