/** Requests as tests read them: every field that a block may have, whatever its type. */

import type { ApiRequest } from "./schema.ts";

export { Refusal } from "./refusal.ts";

export type WireBlock = {
  type: string;
  text?: string;
  id?: string;
  name?: string;
  input?: object;
  tool_use_id?: string;
  thinking?: string;
  signature?: string;
  content?: unknown;
};

export type WireRequest = Omit<ApiRequest, "messages"> & {
  messages: { role: "user" | "assistant"; content: WireBlock[] }[];
};
