/** How a call that is no chat is put to an upstream that speaks OpenAI's API. */
import type { OutgoingRequest } from "../net/outgoing.ts";
import { chatPost, partsOf, type UpstreamTarget } from "./chat-post.ts";

export interface UpstreamCall {
  /** Below the base URL, beginning with a slash. */
  readonly path: string;
  readonly contentType: string;
  readonly body: NonNullable<OutgoingRequest["body"]>;
  readonly credential: string;
  /** What answer is wanted. */
  readonly accept: string;
  readonly traceparent: string | null;
}

const NO_BODY = Buffer.alloc(0);

/** Builds `POST {baseUrl}{path}`. */
export function openAiCallRequest(target: UpstreamTarget, call: UpstreamCall): OutgoingRequest {
  const { origin, path, query } = partsOf(target);
  const { body, credential, traceparent, contentType, accept } = call;
  const post = chatPost(
    target,
    { body: NO_BODY, credential, stream: false, traceparent, forward: {}, query: "" },
    {
      origin,
      path: `${path}${call.path}${query}`,
      headers: { authorization: `Bearer ${credential}` },
    },
  );
  const length = Buffer.isBuffer(body) ? {} : { "content-length": String(body.sizeBytes) };
  return {
    ...post,
    body,
    headers: { ...post.headers, "content-type": contentType, accept, ...length },
  };
}
