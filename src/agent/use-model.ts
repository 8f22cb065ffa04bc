import type { ModelClient } from "../model/client.ts";
import type { AgentEvent } from "../protocol/event.ts";
import type { Session } from "./session.ts";

/** Switches the session to another model. Throws `ModelError`. */
export async function useModel(
  session: Session,
  client: Pick<ModelClient, "rules">,
  model: string,
): Promise<AgentEvent> {
  const pricesBefore = session.rules.prices;
  session.rules = await client.rules(model);
  return session.record({ type: "model", model, pricesBefore });
}
