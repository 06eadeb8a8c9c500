/** Reads how a Messages request wants the model to think, and in which form to answer. */
import type { AnswerFormat, Reasoning } from "../neutral/neutral-request.ts";
import { optional, refuse, required } from "./body-field.ts";

/** An effort without `thinking` is a hint for a model that decides for itself. */
export function readReasoning(body: Record<string, unknown>): Reasoning | null {
  const config = optional(body, "output_config", "object") ?? {};
  const effort = optional(config, "effort", "string", "output_config");
  const thinking = optional(body, "thinking", "object");
  if (thinking === null) return effort === null ? null : { kind: "adaptive", effort };
  switch (required(thinking, "type", "string", "thinking")) {
    case "disabled":
      return { kind: "off" };
    case "enabled":
      return { kind: "budget", tokens: required(thinking, "budget_tokens", "number", "thinking") };
    case "adaptive":
    case "between_tools":
      return { kind: "adaptive", effort };
    default:
      return refuse(
        "thinking.type",
        `'thinking.type' must be one of "enabled", "adaptive", "disabled".`,
      );
  }
}

function formatAt(
  holder: Record<string, unknown>,
  name: string,
  path: string,
): AnswerFormat | null {
  const format = optional(holder, name, "object", path);
  if (format === null) return null;
  const param = path === "" ? name : `${path}.${name}`;
  if (required(format, "type", "string", param) !== "json_schema") {
    refuse(`${param}.type`, `'${param}.type' must be "json_schema".`);
  }
  return {
    name: null,
    description: null,
    schema: required(format, "schema", "object", param),
    strict: true,
  };
}

/**
 * `output_config.format`, or `output_format`, as it was called before. The protocol always keeps to
 * the schema.
 */
export function readFormat(body: Record<string, unknown>): AnswerFormat | null {
  const config = optional(body, "output_config", "object") ?? {};
  return formatAt(config, "format", "output_config") ?? formatAt(body, "output_format", "");
}
