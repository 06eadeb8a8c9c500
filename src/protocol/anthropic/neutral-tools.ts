/** Reads the tools of a Messages request and which of them the model may or must call. */
import type { NeutralTool, ToolChoice } from "../neutral/neutral-request.ts";
import { isRecord } from "../json/is-record.ts";
import { expect, optional, refuse, required } from "./body-field.ts";
import { cacheOf } from "./neutral-media.ts";

function readTool(value: unknown, path: string): NeutralTool {
  const fields = expect(value, "object", path);
  const type = optional(fields, "type", "string", path) ?? "custom";
  // The vendor runs these tools, or its models were trained on a schema that only it knows.
  if (type !== "custom")
    refuse(
      path,
      `'${path}' is the vendor's own tool ${JSON.stringify(type)}, which has no equivalent for this model.`,
    );
  return {
    name: required(fields, "name", "string", path),
    description: optional(fields, "description", "string", path),
    schema: optional(fields, "input_schema", "object", path),
    strict: optional(fields, "strict", "boolean", path),
    cache: cacheOf({ type, fields, path }),
  };
}

export function readTools(body: Record<string, unknown>): NeutralTool[] {
  return (optional(body, "tools", "array") ?? []).map((tool, index) =>
    readTool(tool, `tools[${index}]`),
  );
}

export function readToolChoice(body: Record<string, unknown>): ToolChoice | null {
  const choice = optional(body, "tool_choice", "object");
  if (choice === null) return null;
  const type = required(choice, "type", "string", "tool_choice");
  switch (type) {
    case "auto":
    case "none":
      return { kind: type };
    case "any":
      return { kind: "required" };
    case "tool":
      return { kind: "tool", name: required(choice, "name", "string", "tool_choice") };
    default:
      return refuse(
        "tool_choice.type",
        `'tool_choice.type' must be one of "auto", "any", "tool", "none".`,
      );
  }
}

/** False where the request wants one call at a time; null where it leaves that to the model. */
export function readParallelToolCalls(body: Record<string, unknown>): boolean | null {
  const choice = body["tool_choice"];
  return isRecord(choice) && choice["disable_parallel_tool_use"] === true ? false : null;
}
