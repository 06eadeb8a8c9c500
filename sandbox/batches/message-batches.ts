/** Anthropic's message batches, as strict as the vendor. */
import type { IncomingMessage, ServerResponse } from "node:http";
import { anthropicDialect } from "../anthropic/dialect.ts";
import type { Endpoint } from "../endpoint.ts";
import { isObject } from "../is-object.ts";
import { readBody } from "../read-body.ts";
import { sendJson } from "../send-json.ts";
import { sentKey } from "../sent-key.ts";
import { batchDirectives } from "./batch-directives.ts";
import type { BatchDesk, DeskBatch, DeskRequest } from "./batch-desk.ts";
import { ownUrl, serveOn } from "./own-url.ts";

const PREFIX = "msgbatch_";
const CUSTOM_ID = /^[a-zA-Z0-9_-]{1,64}$/;

export function messageBatchEndpoints(desk: BatchDesk): Endpoint[] {
  const refuse = (res: ServerResponse, status: number, message: string): string => {
    sendJson(res, status, anthropicDialect.error({ status, message, param: null }));
    return `${status} ${message}`;
  };
  const ok = (res: ServerResponse, body: unknown): string => {
    sendJson(res, 200, body);
    return "200";
  };
  const find = (req: IncomingMessage, path: string): DeskBatch | undefined =>
    desk.find(sentKey(req), path.split("/")[4] ?? "");

  return [
    serveOn("POST", /^\/v1\/messages\/batches\/?$/, async (req, res) => {
      if (req.headers["anthropic-version"] === undefined)
        return refuse(res, 400, "anthropic-version: header is required");
      const body = await readBody(req);
      if (body.kind !== "json") return refuse(res, 400, "The request body is not valid JSON.");
      const read = readRequests(body.value["requests"]);
      if (typeof read === "string") return refuse(res, 400, read);
      const directives = batchDirectives(read[0]?.body ?? "");
      if (directives.refuse !== null) return refuse(res, directives.refuse, "sandbox: refused");
      const key = sentKey(req);
      const headers = {
        "x-api-key": key,
        "anthropic-version": String(req.headers["anthropic-version"]),
      };
      const batch = desk.begin({ prefix: PREFIX, key, url: ownUrl(req), headers, requests: read });
      if (directives.lose) {
        res.destroy();
        return "lost";
      }
      return ok(res, show(batch, req));
    }),
    serveOn("GET", /^\/v1\/messages\/batches\/?$/, (req, res) => {
      const query = new URL(req.url ?? "", "http://x").searchParams;
      const limit = Math.min(Number(query.get("limit") ?? 20), 1_000);
      const mine = desk.list(sentKey(req), PREFIX);
      const from = mine.findIndex(({ id }) => id === query.get("after_id")) + 1;
      const page = mine.slice(from, from + limit);
      return ok(res, {
        data: page.map((batch) => show(batch, req)),
        has_more: mine.length > from + limit,
        first_id: page[0]?.id ?? null,
        last_id: page.at(-1)?.id ?? null,
      });
    }),
    serveOn("GET", /^\/v1\/messages\/batches\/[^/]+$/, (req, res, path) => {
      const batch = find(req, path);
      return batch === undefined
        ? refuse(res, 404, "Message batch not found.")
        : ok(res, show(batch, req));
    }),
    serveOn("POST", /^\/v1\/messages\/batches\/[^/]+\/cancel$/, (req, res, path) => {
      const batch = find(req, path);
      if (batch === undefined) return refuse(res, 404, "Message batch not found.");
      if (batch.endedAt !== null) return refuse(res, 400, "The batch has ended.");
      desk.cancel(batch);
      return ok(res, show(batch, req));
    }),
    serveOn("GET", /^\/v1\/messages\/batches\/[^/]+\/results$/, (req, res, path) => {
      const batch = find(req, path);
      if (batch?.endedAt === undefined || batch.endedAt === null)
        return refuse(res, 404, "The batch has no results.");
      res.writeHead(200, { "content-type": "application/x-jsonl" });
      // In no order, as with the vendor.
      res.end(
        batch.results
          .toReversed()
          .map((result) => resultLine(batch, result))
          .join(""),
      );
      return "200";
    }),
  ];
}

function readRequests(requests: unknown): DeskRequest[] | string {
  if (!Array.isArray(requests) || requests.length === 0 || requests.length > 100_000)
    return "requests: Field required";
  const seen = new Set<unknown>();
  const read: DeskRequest[] = [];
  for (const [index, request] of (requests as readonly unknown[]).entries()) {
    if (!isObject(request)) return `requests.${index}: Input should be a valid dictionary`;
    const { custom_id: customId, params, ...rest } = request;
    const [extra] = Object.keys(rest);
    if (extra !== undefined) return `requests.${index}.${extra}: Extra inputs are not permitted`;
    if (typeof customId !== "string" || !CUSTOM_ID.test(customId) || seen.has(customId))
      return `requests.${index}.custom_id: String should match pattern, and be unique`;
    seen.add(customId);
    if (!isObject(params)) return `requests.${index}.params: Field required`;
    read.push({ customId, url: "/v1/messages", body: JSON.stringify(params) });
  }
  return read;
}

function show(batch: DeskBatch, req: IncomingMessage): object {
  const { id, state, endedAt, madeAt, requests, results } = batch;
  const ended = endedAt !== null;
  const of = (wanted: (status: number) => boolean): number =>
    results.filter(({ answer }) => answer !== null && wanted(answer.status)).length;
  const succeeded = ended ? of((status) => status < 300) : 0;
  const errored = ended ? of((status) => status >= 300) : 0;
  const left = requests.length - succeeded - errored;
  return {
    id,
    type: "message_batch",
    processing_status: ended ? "ended" : state === "canceling" ? "canceling" : "in_progress",
    request_counts: {
      processing: ended ? 0 : left,
      succeeded,
      errored,
      canceled: ended && state === "cancelled" ? left : 0,
      expired: ended && state !== "cancelled" ? left : 0,
    },
    created_at: madeAt.toISOString(),
    ended_at: endedAt?.toISOString() ?? null,
    results_url: ended ? `${ownUrl(req)}/v1/messages/batches/${id}/results` : null,
  };
}

function resultLine(
  { state }: DeskBatch,
  { customId, answer }: DeskBatch["results"][number],
): string {
  const result =
    answer === null
      ? { type: state === "cancelled" ? "canceled" : "expired" }
      : answer.status < 300
        ? { type: "succeeded", message: JSON.parse(answer.body) as unknown }
        : { type: "errored", error: JSON.parse(answer.body) as unknown };
  return `${JSON.stringify({ custom_id: customId, result })}\n`;
}
