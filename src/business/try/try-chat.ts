/**
 * What each route of a chat model would send for a request: read, judged and written as for a real
 * one, but nothing is held or sent.
 */
import type { Catalogue } from "../../catalogue/catalogue.ts";
import type { ChatEndpoint } from "../../contract/enums/chat-endpoint.ts";
import { judgeRaises } from "../../contract/price/judge-raises.ts";
import { CHAT_DIALECTS } from "../../protocol/chat-dialects.ts";
import { CHAT_UPSTREAMS } from "../../serving/chat/chat-upstreams.ts";
import { answerPath } from "../../protocol/answer-path.ts";
import { chatUpstreamOf } from "../../serving/chat/chat-upstream.ts";
import { resolveChatModel } from "../../serving/chat/resolve-model.ts";
import { namedCredential, triedRequest, type TriedRoute } from "./tried-request.ts";

/** Throws the faults that the request itself would meet before its hold. */
export async function tryChat(
  catalogue: Catalogue,
  endpoint: ChatEndpoint,
  body: Readonly<Record<string, unknown>>,
): Promise<TriedRoute[]> {
  const dialect = CHAT_DIALECTS[endpoint];
  const reading = await dialect.readRequestInSlices(Buffer.from(JSON.stringify(body)));
  if (!reading.ok) throw reading.fault;
  const { request } = reading;
  const { model } = resolveChatModel(catalogue, request.model, endpoint);
  judgeRaises(model, request.raises, endpoint);
  const { maxOutputTokens, reasoning } = model;
  return model.routes
    .toSorted((one, other) => one.order - other.order)
    .map((route): TriedRoute => {
      const head = { upstream: route.upstream, model: route.model, order: route.order };
      const upstream = catalogue.upstreams.get(route.upstream);
      const port =
        upstream === undefined ? null : chatUpstreamOf(CHAT_UPSTREAMS, upstream.protocol);
      if (upstream === undefined || port === null)
        return { ...head, request: null, notes: ["this upstream serves no chat"] };
      const { stream } = request;
      const path = answerPath(dialect, port.dialect);
      const writing = path.writeRequest(request, {
        model: route.model,
        stream,
        maxOutputTokens,
        reasoning,
        refusesUsage: false,
      });
      if (!writing.ok) return { ...head, request: null, notes: [writing.fault.message] };
      const credential = namedCredential(upstream.apiKeyEnv);
      const call = {
        body: writing.body,
        credential,
        stream,
        traceparent: null,
        forward: {},
        query: "",
      };
      return {
        ...head,
        request: triedRequest(port.buildRequest(upstream, call)),
        notes: notesOf(path.translated, stream),
      };
    });
}

function notesOf(translated: boolean, stream: boolean): string[] {
  return [
    ...(translated
      ? ["translated: the upstream speaks another protocol"]
      : ["passed: the caller's own headers of the protocol go along"]),
    ...(stream
      ? []
      : [
          "where its longest answer is more than a quarter of what is available, the answer is asked for as a stream",
        ]),
  ];
}
