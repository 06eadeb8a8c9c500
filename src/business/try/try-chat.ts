/** What each route of a chat model would send for a request: read, judged and written as for a real one, but nothing is held or sent. */
import type { Catalogue } from "../../catalogue/catalogue.ts";
import { judgeRaises } from "../../contract/price/judge-raises.ts";
import { answerPath } from "../../protocol/answer-path.ts";
import { anthropicDialect } from "../../protocol/anthropic/dialect.ts";
import { anthropicUpstream } from "../../protocol/anthropic/upstream.ts";
import type { ChatEndpoint } from "../../protocol/chat-dialect.ts";
import { openAiDialect } from "../../protocol/openai/dialect.ts";
import { openAiUpstream } from "../../protocol/openai/upstream.ts";
import { anthropicMessagesRequest } from "../../upstreams/anthropic-messages.ts";
import { openAiChatRequest } from "../../upstreams/openai-compatible.ts";
import { chatUpstreamOf, type ChatUpstreams } from "../../serving/chat/chat-upstream.ts";
import { resolveChatModel } from "../../serving/chat/resolve-model.ts";
import { namedCredential, triedRequest, type TriedRoute } from "./tried-request.ts";

const UPSTREAMS: ChatUpstreams = {
  openai: { dialect: openAiUpstream, buildRequest: openAiChatRequest },
  anthropic: { dialect: anthropicUpstream, buildRequest: anthropicMessagesRequest },
};
const DIALECTS = { "chat.completions": openAiDialect, messages: anthropicDialect } as const;

/** Throws the faults that the request itself would meet before its hold. */
export async function tryChat(
  catalogue: Catalogue,
  endpoint: ChatEndpoint,
  body: Readonly<Record<string, unknown>>,
): Promise<TriedRoute[]> {
  const dialect = DIALECTS[endpoint];
  const reading = await dialect.readRequestInSlices(Buffer.from(JSON.stringify(body)));
  if (!reading.ok) throw reading.fault;
  const { request } = reading;
  const { model } = resolveChatModel(catalogue, request.model, endpoint);
  judgeRaises(model, request.raises, endpoint === "messages");
  const { maxOutputTokens, reasoning } = model;
  return model.routes
    .toSorted((one, other) => one.order - other.order)
    .map((route): TriedRoute => {
      const head = { upstream: route.upstream, model: route.model, order: route.order };
      const upstream = catalogue.upstreams.get(route.upstream);
      const port = upstream === undefined ? null : chatUpstreamOf(UPSTREAMS, upstream.protocol);
      if (upstream === undefined || port === null) return { ...head, request: null, notes: ["this upstream serves no chat"] };
      const { stream } = request;
      const path = answerPath(dialect, port.dialect);
      const writing = path.writeRequest(request, { model: route.model, stream, maxOutputTokens, reasoning, refusesUsage: false });
      if (!writing.ok) return { ...head, request: null, notes: [writing.fault.message] };
      const credential = namedCredential(upstream.apiKeyEnv);
      const call = { body: writing.body, credential, stream, traceparent: null, forward: {}, query: "" };
      return { ...head, request: triedRequest(port.buildRequest(upstream, call)), notes: notesOf(path.translated, stream) };
    });
}

function notesOf(translated: boolean, stream: boolean): string[] {
  return [
    ...(translated ? ["translated: the upstream speaks another protocol"] : ["passed: the caller's own headers of the protocol go along"]),
    ...(stream ? [] : ["where its longest answer is more than a quarter of what is available, the answer is asked for as a stream"]),
  ];
}
