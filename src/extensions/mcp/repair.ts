/**
 * Repairs what a server sends, before the official client checks it: that refuses a whole result for one
 * bad image, and a whole list for one bad tool.
 */

import { isSpecType } from "@modelcontextprotocol/client";
import { isRecord, isTooDeep } from "../../base/guards.ts";
import { cleanLine } from "./clean.ts";

/** Levels that the client, which recurses, survives. */
const maxLevels = 1_000;

const lineChars = 100;

/** More than are used of a list: checking hundreds of thousands would take seconds. */
const maxListed = 1_000;

/** Changes a JSON-RPC message in place. */
export function repair(message: object): void {
  for (const [part, fields] of Object.entries(message)) {
    if (!isRecord(fields)) continue;
    repairDepth(fields);
    if (part === "result") repairResult(fields);
  }
}

type Fields = { [key: string]: unknown };

function repairDepth(fields: Fields): void {
  for (const [key, value] of Object.entries(fields))
    fields[key] = Array.isArray(value) ? value.map(shallow) : shallow(value);
}

const shallow = (value: unknown): unknown => {
  if (!isTooDeep(value, maxLevels)) return value;
  const { name } = isRecord(value) ? value : {};
  const text = "[Content that is nested too deeply.]";
  return typeof name === "string" ? { text, name } : { text };
};

function repairResult(result: Fields): void {
  const { content } = result;
  if (content !== undefined && !Array.isArray(content)) result["content"] = [content];
  if (typeof result["isError"] !== "boolean") delete result["isError"];
  for (const [key, repaired] of Object.entries(lists)) {
    const list = result[key];
    if (Array.isArray(list)) result[key] = repaired(list);
  }
}

const used = (list: unknown[]): unknown[] => list.slice(0, maxListed);

const lists: Record<string, (list: unknown[]) => unknown[]> = {
  content: (list) => list.map(blockOf),
  contents: (list) => list.map(resourceOf),
  messages: (list) =>
    list.map((one) => (isRecord(one) ? { ...one, content: blockOf(one["content"]) } : one)),
  tools: (list) => used(list).map(toolOf),
  prompts: (list) => used(list).filter((one) => isSpecType.Prompt(one)),
  resources: (list) => used(list).filter((one) => isSpecType.Resource(one)),
  resourceTemplates: (list) => used(list).filter((one) => isSpecType.ResourceTemplate(one)),
};

/**
 * The block without what only describes it and with its bytes in the usual form, or else a line of
 * text.
 */
function blockOf(given: unknown): unknown {
  if (isSpecType.ContentBlock(given)) return given;
  const text = typeof given === "string" ? given : isRecord(given) ? given["text"] : undefined;
  if (typeof text === "string") return { type: "text", text };
  if (!isRecord(given)) return { type: "text", text: unknownContent("") };
  const { type, mimeType, data, resource } = given;
  const block = isRecord(resource)
    ? { type, resource: resourceOf(resource) }
    : { type, mimeType: String(mimeType), data: base64(data) };
  return isSpecType.ContentBlock(block) ? block : { type: "text", text: unknownContent(type) };
}

function resourceOf(given: unknown): unknown {
  if (isSpecType.TextResourceContents(given) || isSpecType.BlobResourceContents(given))
    return given;
  const { uri = "", text, blob, mimeType } = isRecord(given) ? given : {};
  return {
    uri: String(uri),
    ...(typeof mimeType === "string" && { mimeType }),
    ...(typeof text === "string"
      ? { text }
      : typeof blob === "string"
        ? { blob: base64(blob) }
        : { text: unknownContent("") }),
  };
}

const unknownContent = (type: unknown): string =>
  `[Content that cannot be shown${typeof type === "string" && type !== "" ? `: ${cleanLine(type, lineChars)}` : ""}.]`;

/**
 * Normalizes base64 with line breaks, in its URL form, or in a data URL. Little is left of anything
 * else.
 */
const base64 = (data: unknown): string =>
  Buffer.from(String(data).replace(/^data:[^,]*,/, ""), "base64").toString("base64");

/** A schema without a type is one of an object; a tool that is refused anyway is listed as such. */
function toolOf(given: unknown): unknown {
  if (isSpecType.Tool(given)) return given;
  const { name, description, inputSchema } = isRecord(given) ? given : {};
  const repaired = {
    name: String(name),
    ...(typeof description === "string" && { description }),
    inputSchema: isRecord(inputSchema) ? { type: "object", ...inputSchema } : unusable,
  };
  return isSpecType.Tool(repaired) ? repaired : { ...repaired, inputSchema: unusable };
}

/** No API accepts the name of its property: `listing.ts` says so of the tool. */
const unusable = { type: "object", properties: { "": {} } };
