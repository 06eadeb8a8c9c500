/** Message batches of a provider that speaks Anthropic's API: a list of requests, a stream of results. */
import type { Outgoing } from "../../net/outgoing.ts";
import { isRecord } from "../../protocol/json/is-record.ts";
import { readJsonObject } from "../../protocol/json/read-json-object.ts";
import { partsOf } from "../chat-post.ts";
import { callUpstream, openUpstream, requestOf, type UpstreamReply } from "./call-upstream.ts";
import type { BatchTarget, PassResult, UpstreamBatches } from "./upstream-batches.ts";

const VERSION = "2023-06-01";
const PAGE = 100;
const MOST_PAGES = 10;
/** Clocks differ. */
const SKEW_MS = 300_000;

/** The status under which the API has each type of error. */
const STATUS_OF: Readonly<Record<string, number>> = {
  invalid_request_error: 400,
  authentication_error: 401,
  billing_error: 402,
  permission_error: 403,
  not_found_error: 404,
  request_too_large: 413,
  rate_limit_error: 429,
  api_error: 500,
  timeout_error: 504,
  overloaded_error: 529,
};

export function createAnthropicBatches(outgoing: Outgoing): UpstreamBatches {
  function at(target: BatchTarget, path: string): string {
    const parts = partsOf(target);
    const versioned = parts.path.endsWith("/v1") ? parts.path : `${parts.path}/v1`;
    return `${versioned}/messages/batches${path}${parts.query}`;
  }
  const headersOf = ({ credential, forward }: BatchTarget) => ({
    "anthropic-version": VERSION,
    ...forward,
    "x-api-key": credential,
    "content-type": "application/json",
  });
  const ask = (target: BatchTarget, method: "GET" | "POST", path: string): Promise<UpstreamReply> =>
    callUpstream(outgoing, requestOf(target, { method, path, headers: headersOf(target) }));

  return {
    frame: { head: '{"requests":[', between: ",\n", tail: "]}" },

    writeRequest: (customId, _target, { body }) =>
      Buffer.concat([
        Buffer.from(`{"custom_id":${JSON.stringify(customId)},"params":`),
        body,
        Buffer.from("}"),
      ]),

    upload: async () => ({ kind: "done", fileId: null }),

    async submit(target, { body }) {
      const reply = await callUpstream(
        outgoing,
        requestOf(target, {
          method: "POST",
          path: at(target, ""),
          headers: headersOf(target),
          body,
        }),
      );
      if (reply.kind === "failed") return { kind: "unknown", words: reply.words };
      const { id } = reply.body;
      if (reply.status === 200 && typeof id === "string") return { kind: "made", id };
      const words = `status ${reply.status}`;
      const refused =
        reply.status >= 400 && reply.status < 500 && ![408, 409, 429].includes(reply.status);
      return refused ? { kind: "refused", words } : { kind: "unknown", words };
    },

    async find(target, { since, lines }) {
      const oldestMs = since.getTime() - SKEW_MS;
      const found: string[] = [];
      let after = "";
      for (let page = 0; page < MOST_PAGES; page++) {
        const path = at(target, "");
        const query = `limit=${PAGE}${after === "" ? "" : `&after_id=${encodeURIComponent(after)}`}`;
        const reply = await ask(target, "GET", `${path}${path.includes("?") ? "&" : "?"}${query}`);
        if (reply.kind === "failed" || reply.status !== 200) return null;
        const { data, has_more: more } = reply.body;
        const rows = (Array.isArray(data) ? data : []).filter(isRecord);
        for (const { id, created_at: made, request_counts: counts } of rows) {
          const total = isRecord(counts)
            ? Object.values(counts).reduce<number>((sum, count) => sum + Number(count), 0)
            : -1;
          if (typeof id === "string" && Date.parse(String(made)) >= oldestMs && total === lines)
            found.push(id);
        }
        const last = rows.at(-1);
        if (more !== true || typeof last?.["id"] !== "string") return found;
        if (Date.parse(String(last["created_at"])) < oldestMs) return found;
        after = last["id"];
      }
      return found;
    },

    async look(target, id) {
      const reply = await ask(target, "GET", at(target, `/${encodeURIComponent(id)}`));
      if (reply.kind === "failed") return { kind: "later", words: reply.words };
      if (reply.status === 404) return { kind: "gone" };
      if (reply.status !== 200) return { kind: "later", words: `status ${reply.status}` };
      return reply.body["processing_status"] === "ended"
        ? { kind: "ended", results: [id] }
        : { kind: "running" };
    },

    async cancel(target, id) {
      const reply = await ask(target, "POST", at(target, `/${encodeURIComponent(id)}/cancel`));
      // It may have ended meanwhile.
      return reply.kind === "answered" && (reply.status < 300 || reply.status === 400);
    },

    results: (target, id) =>
      openUpstream(
        outgoing,
        requestOf(target, {
          method: "GET",
          path: at(target, `/${encodeURIComponent(id)}/results`),
          headers: headersOf(target),
        }),
      ),

    readResult: readMessageResult,

    tidy: async () => undefined,
  };
}

function readMessageResult(line: Buffer): PassResult | null {
  const reading = readJsonObject(line, ["custom_id", "result"]);
  if (!reading.ok) return null;
  const { value, members } = reading.object;
  const { custom_id: customId, result } = value;
  if (typeof customId !== "string") return null;
  const place = members.find(({ key }) => key === "result");
  const unanswered = { customId, status: null, body: null };
  if (!isRecord(result) || place === undefined) return unanswered;
  const inner = line.subarray(place.start, place.end);
  const inside = readJsonObject(inner, ["message", "error"]);
  if (!inside.ok) return unanswered;
  const part = (name: string): Buffer | null => {
    const member = inside.object.members.find(({ key }) => key === name);
    return member === undefined ? null : inner.subarray(member.start, member.end);
  };
  if (result["type"] === "succeeded") return { customId, status: 200, body: part("message") };
  const { error } = result;
  if (result["type"] !== "errored" || !isRecord(error)) return unanswered;
  const cause = error["error"];
  const type = isRecord(cause) ? String(cause["type"]) : "";
  return { customId, status: STATUS_OF[type] ?? 500, body: part("error") };
}
