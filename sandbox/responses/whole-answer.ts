/** The `response` object: what was asked, said again, and the output items. */
import type { Answer, Call } from "../compose-answer.ts";
import type { Served } from "../dialect.ts";
import { isObject, type JsonObject } from "../is-object.ts";
import { sealReasoning } from "./seal-reasoning.ts";
import { usageBody } from "./usage-body.ts";

export type Item = JsonObject & { readonly id: string; readonly type: string };

export function wholeAnswer(served: Served): unknown {
  const [answer] = served.answers;
  if (answer === undefined) return {};
  return finalResponse(served, answer);
}

/** As it stands at its end. */
export function finalResponse(served: Served, answer: Answer): JsonObject {
  const { directives, figures } = served;
  const reason = directives.incomplete ?? (answer.finish === "length" ? "max_output_tokens" : null);
  const failed = directives.failed !== null;
  return {
    ...shell(served),
    status: failed ? "failed" : reason === null ? "completed" : "incomplete",
    service_tier: "default",
    completed_at: failed || reason !== null ? null : served.created + 1,
    error: failed
      ? { code: directives.failed, message: "sandbox: the failure that was asked for" }
      : null,
    incomplete_details: failed || reason === null ? null : { reason },
    output: itemsOf(served, answer),
    usage: failed || figures === null ? null : usageBody(figures),
  };
}

/** As it stands at its beginning. */
export function begunResponse(served: Served): JsonObject {
  return { ...shell(served), status: "in_progress", output: [], usage: null };
}

const LIKE_NONE = { type: "text" };

function shell({ id, created, body, conversation }: Served): JsonObject {
  const { text, reasoning } = body;
  const given = (name: string, fallback: unknown): unknown => body[name] ?? fallback;
  return {
    id: `resp_${id}`,
    object: "response",
    created_at: created,
    completed_at: null,
    status: "in_progress",
    background: false,
    error: null,
    incomplete_details: null,
    instructions: given("instructions", null),
    max_output_tokens: given("max_output_tokens", null),
    max_tool_calls: given("max_tool_calls", null),
    model: conversation.model,
    output: [],
    parallel_tool_calls: conversation.parallelTools,
    previous_response_id: null,
    prompt_cache_key: given("prompt_cache_key", null),
    reasoning: { effort: null, summary: null, ...(isObject(reasoning) ? reasoning : {}) },
    safety_identifier: given("safety_identifier", null),
    service_tier: given("service_tier", "auto"),
    store: given("store", true),
    temperature: given("temperature", 1),
    text: { format: LIKE_NONE, verbosity: "medium", ...(isObject(text) ? text : {}) },
    tool_choice: given("tool_choice", "auto"),
    tools: given("tools", []),
    top_logprobs: given("top_logprobs", 0),
    top_p: given("top_p", 1),
    truncation: given("truncation", "disabled"),
    usage: null,
    user: given("user", null),
    metadata: given("metadata", {}),
  };
}

/** `sealed`: with what the vendor knows of its reasoning, whether or not it was asked to show it. */
export function itemsOf(served: Served, answer: Answer, sealed?: "sealed"): Item[] {
  const { id, conversation } = served;
  const items: Item[] = [];
  if (answer.reasoning !== "")
    items.push(reasoningItem(served, answer.reasoning, sealed === "sealed"));
  const status = answer.finish === "length" ? "incomplete" : "completed";
  const content =
    answer.refusal !== null
      ? [{ type: "refusal", refusal: answer.refusal }]
      : answer.text !== ""
        ? [{ type: "output_text", annotations: [], logprobs: [], text: answer.text }]
        : [];
  if (content.length > 0)
    items.push({ id: `msg_${id}`, type: "message", status, content, role: "assistant" });
  for (const call of answer.calls) items.push(callItem(call, conversation.tools));
  return items;
}

function reasoningItem(
  { id, body, conversation }: Served,
  reasoning: string,
  always: boolean,
): Item {
  const itemId = `rs_${id}`;
  const { include } = body;
  const sealed =
    always || (Array.isArray(include) && include.includes("reasoning.encrypted_content"));
  return {
    id: itemId,
    type: "reasoning",
    summary: conversation.showReasoning ? [{ type: "summary_text", text: reasoning }] : [],
    ...(sealed ? { encrypted_content: sealReasoning(itemId, reasoning) } : {}),
  };
}

function callItem(call: Call, tools: Served["conversation"]["tools"]): Item {
  const tool = tools.find(({ name }) => name === call.name);
  const head = { status: "completed", call_id: `call_${call.id}`, name: call.name };
  if (tool?.custom === true) {
    const { input } = JSON.parse(call.arguments) as { input?: unknown };
    return { id: `ctc_${call.id}`, type: "custom_tool_call", ...head, input: String(input) };
  }
  const within = tool?.namespace === undefined ? {} : { namespace: tool.namespace };
  return {
    id: `fc_${call.id}`,
    type: "function_call",
    ...head,
    ...within,
    arguments: call.arguments,
  };
}
