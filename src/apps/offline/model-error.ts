import type { ModelError } from "../../model/model-error.ts";

/** An error as every model client throws it; the agent knows it by its name and kind. */
export function modelError(
  kind: ModelError["kind"],
  message: string,
  more: Pick<ModelError, "status" | "sizes"> = {},
): ModelError {
  return Object.assign(new Error(message), { name: "ModelError", kind, ...more });
}
