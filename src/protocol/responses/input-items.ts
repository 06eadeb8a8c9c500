/** The input of a Responses request as the list of items that it stands for. */
import { JSON_DEPTH_LIMIT, JSON_VALUE_LIMIT } from "../../kernel/limits.ts";
import { isRecord } from "../json/is-record.ts";
import { scanObject } from "../json/scan-object.ts";

export type Item = Record<string, unknown>;

/** `input` is validated: a text is one message of the user; what is no item says nothing. */
export function inputItems(input: unknown): Item[] {
  if (typeof input === "string") return [userMessage(input)];
  return Array.isArray(input) ? input.filter(isRecord) : [];
}

export function userMessage(text: string): Item {
  return { type: "message", role: "user", content: [{ type: "input_text", text }] };
}

const BOUNDS = { maxDepth: JSON_DEPTH_LIMIT, maxValues: JSON_VALUE_LIMIT };

/**
 * The same of a body that was read, as the JSON of the list: taken out of its bytes, since it may be
 * large.
 */
export function inputText(body: Buffer): string {
  const members = scanObject(body, ["input"], BOUNDS, 0)?.members ?? [];
  const input = members.find(({ key }) => key === "input");
  const text = input === undefined ? "[]" : body.toString("utf8", input.start, input.end);
  if (text.startsWith("[")) return text;
  return JSON.stringify(inputItems(JSON.parse(text)));
}

/** What the id of an item begins with, by its type, as the vendor has them. */
const PREFIXES: Readonly<Record<string, string>> = {
  message: "msg",
  function_call: "fc",
  function_call_output: "fco",
  custom_tool_call: "ctc",
  custom_tool_call_output: "ctco",
  reasoning: "rs",
  compaction: "cmp",
};

/**
 * Items as lists of kept ones show them: each has an id, of its own where its caller gave it one.
 * `name` is part of all others, so that the same list has the same ids each time.
 */
export function namedItems(items: readonly Item[], name: string): Item[] {
  return items.map((item, index) => {
    const type = typeof item["type"] === "string" ? item["type"] : "message";
    if (typeof item["id"] === "string" && item["id"] !== "") return { ...item, type };
    const id = `${PREFIXES[type] ?? "item"}_${name}i${String(index).padStart(4, "0")}`;
    return { ...item, id, type };
  });
}
