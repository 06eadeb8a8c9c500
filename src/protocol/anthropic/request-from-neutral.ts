/** Writes a Messages request for an upstream from a request in no protocol's shape. */
import { Fault } from "../../kernel/faults.ts";
import type { NeutralRequest, RequestTarget, RequestWriting } from "../neutral/neutral-request.ts";
import { writeConversation } from "./write-conversation.ts";
import { writeThinking, type ThinkingSettings } from "./write-thinking.ts";
import { writeTools } from "./write-tools.ts";

/** The vendor's bound on `metadata.user_id`. */
const USER_LIMIT_CHARACTERS = 256;
/** The least `top_p` that the vendor takes while the model thinks. */
const THINKING_TOP_P = 0.95;

/** Undefined members are left out when the body is written. */
function writeSampling(
  { temperature, topP, topK }: NeutralRequest,
  { thinking }: ThinkingSettings,
): Record<string, unknown> {
  if (thinking !== null && thinking.type !== "disabled") {
    return { top_p: topP !== null && topP >= THINKING_TOP_P ? topP : undefined };
  }
  return {
    // Above 1 it is 1: what the vendor's own layer for OpenAI's protocol does.
    temperature: temperature === null ? undefined : Math.min(temperature, 1),
    // The vendor's newer models refuse both together; clients that set both mean the temperature.
    top_p: temperature === null ? (topP ?? undefined) : undefined,
    top_k: topK ?? undefined,
  };
}

function writeOutputConfig(
  { format }: NeutralRequest,
  { effort }: ThinkingSettings,
): Record<string, unknown> {
  // "Any JSON object" has no equivalent; the vendor's own layer drops it.
  const schema = format?.schema ?? null;
  if (schema === null && effort === null) return {};
  return {
    output_config: {
      effort: effort ?? undefined,
      format: schema === null ? undefined : { type: "json_schema", schema },
    },
  };
}

/**
 * A limit that is missing becomes the model's, a larger one is cut to it. Repaired is what the
 * vendor would refuse and other protocols allow: see write-conversation.ts (order of roles, empty
 * texts), write-tools.ts (calls without tools), write-thinking.ts, tool-input.ts. Refused is only a
 * conversation in which nothing is said.
 */
export function writeMessagesRequest(
  request: NeutralRequest,
  target: RequestTarget,
): RequestWriting {
  const { system, messages } = writeConversation(request);
  if (messages.length === 0) {
    const message = "'messages' must hold something to answer besides empty text.";
    return { ok: false, fault: new Fault("invalid_request", { message, param: "messages" }) };
  }
  const maxTokens = Math.min(request.maxTokens ?? target.maxOutputTokens, target.maxOutputTokens);
  const settings = writeThinking(request, messages, maxTokens, target.reasoning);
  const stop = request.stop.filter((text) => text.trim() !== "");
  const { user } = request;
  const body = {
    model: target.model,
    max_tokens: maxTokens,
    system: system.length === 0 ? undefined : system,
    messages,
    ...writeTools(request),
    stop_sequences: stop.length === 0 ? undefined : stop,
    ...writeSampling(request, settings),
    thinking: settings.thinking ?? undefined,
    ...writeOutputConfig(request, settings),
    metadata:
      user === null || user === "" || user.length > USER_LIMIT_CHARACTERS
        ? undefined
        : { user_id: user },
    stream: target.stream,
  };
  return { ok: true, body: Buffer.from(JSON.stringify(body)) };
}
