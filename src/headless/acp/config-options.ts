/** What an editor lets the user choose besides the modes: the model and its effort. */

import type { SessionConfigOption } from "@agentclientprotocol/sdk";
import type { Command } from "../../protocol/command.ts";
import { efforts } from "../../protocol/model.ts";
import type { AcpSession } from "./session.ts";

/** The option for the model's own default effort. */
const usual = "default";

export function configOptionsOf({ models, choice }: AcpSession): SessionConfigOption[] {
  const { model, effort } = choice();
  const names = models.includes(model) ? models : [model, ...models];
  return [
    {
      id: "model",
      name: "Model",
      category: "model",
      type: "select",
      currentValue: model,
      options: names.map((name) => ({ value: name, name })),
    },
    {
      id: "effort",
      name: "Effort",
      category: "thought_level",
      type: "select",
      currentValue: effort ?? usual,
      options: [usual, ...efforts].map((name) => ({ value: name, name })),
    },
  ];
}

/** The command that sets an option; null: there is no such option or value. */
export function commandFor(id: string, value: unknown): Command | null {
  if (id === "model" && typeof value === "string") return { type: "model", model: value };
  if (id !== "effort") return null;
  const effort = efforts.find((name) => name === value) ?? null;
  return effort === null && value !== usual ? null : { type: "effort", effort };
}
