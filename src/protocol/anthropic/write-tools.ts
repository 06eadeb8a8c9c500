/** Writes the tools of a Messages request and which of them the model may or must call. */
import type { NeutralRequest, NeutralTool } from "../neutral/neutral-request.ts";
import { cacheControl } from "./write-blocks.ts";

/** The vendor wants every schema to say that it is an object's. */
const OBJECT = { type: "object" } as const;

function writeTool({
  name,
  description,
  schema,
  strict,
  cache,
}: NeutralTool): Record<string, unknown> {
  return {
    name,
    ...(description === null ? {} : { description }),
    input_schema: { ...OBJECT, ...schema },
    ...(strict === true ? { strict } : {}),
    ...cacheControl(cache),
  };
}

/**
 * The tools that the conversation has called: the vendor takes no calls of tools that a request
 * does not have.
 */
function calledTools({ turns }: NeutralRequest): Record<string, unknown>[] {
  const names = new Set<string>();
  for (const turn of turns) {
    if (turn.role !== "assistant") continue;
    for (const part of turn.parts) if (part.kind === "tool-call") names.add(part.name);
  }
  return [...names].map((name) => ({ name, input_schema: OBJECT }));
}

function writeChoice({
  toolChoice,
  parallelToolCalls,
}: NeutralRequest): Record<string, unknown> | null {
  const single = parallelToolCalls === false ? { disable_parallel_tool_use: true } : {};
  switch (toolChoice?.kind) {
    case undefined:
      return parallelToolCalls === false ? { type: "auto", ...single } : null;
    case "auto":
      return { type: "auto", ...single };
    case "none":
      return { type: "none" };
    case "required":
      return { type: "any", ...single };
    case "tool":
      return { type: "tool", name: toolChoice.name, ...single };
  }
}

/**
 * The members `tools` and `tool_choice`, where there is something to say. Without tools there is
 * nothing to choose from.
 */
export function writeTools(request: NeutralRequest): Record<string, unknown> {
  if (request.tools.length > 0) {
    const choice = writeChoice(request);
    return {
      tools: request.tools.map(writeTool),
      ...(choice === null ? {} : { tool_choice: choice }),
    };
  }
  const called = calledTools(request);
  return called.length === 0 ? {} : { tools: called, tool_choice: { type: "none" } };
}
