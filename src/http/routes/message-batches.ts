/** `/v1/messages/batches`: batches of the Messages protocol (contract §13). */
import Type from "typebox";
import {
  MessageBatch,
  MessageBatchDeleted,
  MessageBatchList,
  MessageBatchRequestBody,
} from "../../contract/message-batch.ts";
import type { BatchRecord } from "../../batches/batch-record.ts";
import { readIdempotencyKey } from "../../idempotency/idempotency-key.ts";
import { Fault } from "../../kernel/faults.ts";
import type { Clock } from "../../kernel/clock.ts";
import { anthropicDialect } from "../../protocol/anthropic/dialect.ts";
import type { AccountBatches } from "../../serving/batches/account-batches.ts";
import { parseBatchId } from "../../serving/batches/batch-ids.ts";
import type { MessageBatchOrder } from "../../serving/batches/create-message-batch.ts";
import { messageBatchObject } from "../batch-bodies.ts";
import { pacedBody } from "../paced-body.ts";
import { forwardedParts } from "../forwarded-parts.ts";
import { checkJsonType } from "../read-json-body.ts";
import type { Route } from "../route.ts";
import { keyRoute, streamedRoute } from "../route.ts";
import type { PaceLimits } from "../sender-pace.ts";
import { IDEMPOTENCY_KEY } from "./chat-headers.ts";

export interface MessageBatchesRouteDeps {
  readonly batches: AccountBatches;
  createMessageBatch(order: MessageBatchOrder): Promise<BatchRecord>;
  baseUrl(): string;
  readonly clock: Clock;
  readonly pace: PaceLimits;
  /** Of a body. */
  readonly limitBytes: number;
}

const NO_QUERY = Type.Object({});
const MOST_ON_A_PAGE = 1000;

const ListQuery = Type.Object({
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: MOST_ON_A_PAGE, default: 20 })),
  after_id: Type.Optional(Type.String({ description: "Only older ones." })),
  before_id: Type.Optional(Type.String({ description: "Only newer ones: the page before." })),
});

const BATCH_ID = {
  id: { description: "The batch.", example: "msgbatch_0199a1b2c3d47e5f8a9b0c1d2e3f4a5b" },
};

export function messageBatchesRoutes(deps: MessageBatchesRouteDeps): Route[] {
  const { batches } = deps;
  const one = {
    200: { description: "The batch.", content: { "application/json": MessageBatch } },
  };
  const shown = (batch: BatchRecord): { content: { json: unknown } } => ({
    content: { json: messageBatchObject(batch, deps.baseUrl(), deps.clock.now()) },
  });
  return [
    streamedRoute({
      method: "POST",
      path: "/v1/messages/batches",
      streamed: {
        checkHead(headers) {
          checkJsonType(headers);
          const encoding = headers["content-encoding"];
          if (encoding !== undefined && encoding !== "identity") throw ENCODED;
          const declared = headers["content-length"];
          if (declared === "0") throw EMPTY;
          if (Number(declared ?? 0) > deps.limitBytes) throw tooLarge(deps);
        },
      },
      doc: {
        operationId: "createMessageBatch",
        summary: "Works off many messages within a day",
        description:
          "What all requests may cost at most is held as one hold before the answer, at the model's price for batches where it has one: 402 where the balance does not cover it. " +
          "Each request is charged when it is answered, and what is left is released at the end. They run behind all other requests, a few at a time. " +
          "A request whose parameters are not valid is `errored` in the results. What has not run within 24 hours is `expired`, and costs nothing.",
        tag: "Batches",
        headers: IDEMPOTENCY_KEY,
        requestBody: MessageBatchRequestBody,
        responses: one,
        errors: [400, 401, 402, 403, 408, 409, 410, 413, 415, 429, 507],
      },
      async handle({ key, requestId, body, clientAddress: ip, headers, target }) {
        const { limitBytes, pace, clock } = deps;
        body.begin();
        return shown(
          await deps.createMessageBatch({
            key,
            requestId,
            idempotencyKey: readIdempotencyKey(headers["idempotency-key"]),
            ip,
            passedOn: forwardedParts(anthropicDialect.forwarded, headers, target),
            source: pacedBody(body.request, {
              limitBytes,
              tooLarge: tooLarge(deps),
              pace,
              clock,
            }),
            limitBytes,
            signal: body.signal,
          }),
        );
      },
    }),
    keyRoute({
      method: "GET",
      path: "/v1/messages/batches",
      query: ListQuery,
      doc: {
        operationId: "listMessageBatches",
        summary: "The account's message batches, newest first",
        tag: "Batches",
        responses: {
          200: { description: "A page.", content: { "application/json": MessageBatchList } },
        },
        errors: [400, 401, 403],
      },
      async handle({ key, query }) {
        const { limit = 20, after_id: after, before_id: before } = query;
        const newer = before !== undefined;
        const found = await batches.list({
          accountId: key.accountId,
          shape: "anthropic",
          olderThan: after === undefined ? null : cursorOf("after_id", after),
          newerThan: newer ? cursorOf("before_id", before) : null,
          limit: limit + 1,
        });
        // Of newer ones the one too many is the newest.
        const rows = newer ? found.slice(-limit) : found.slice(0, limit);
        const now = deps.clock.now();
        const data = rows.map((batch) => messageBatchObject(batch, deps.baseUrl(), now));
        const ends = { first_id: data[0]?.id ?? null, last_id: data.at(-1)?.id ?? null };
        return { content: { json: { data, has_more: found.length > limit, ...ends } } };
      },
    }),
    keyRoute({
      method: "GET",
      path: "/v1/messages/batches/{id}",
      query: NO_QUERY,
      doc: {
        operationId: "getMessageBatch",
        summary: "One message batch",
        tag: "Batches",
        pathParameters: BATCH_ID,
        responses: one,
        errors: [401, 403],
      },
      handle: async ({ key, params }) =>
        shown(await batches.find(key.accountId, "anthropic", params["id"] ?? "")),
    }),
    keyRoute({
      method: "POST",
      path: "/v1/messages/batches/{id}/cancel",
      query: NO_QUERY,
      doc: {
        operationId: "cancelMessageBatch",
        summary: "Stops a message batch",
        description:
          "No request of it begins any more; those under way end and are charged. The others are `canceled` in the results.",
        tag: "Batches",
        pathParameters: BATCH_ID,
        responses: one,
        errors: [401, 403, 409],
      },
      handle: async ({ key, params }) =>
        shown(await batches.cancel(key.accountId, "anthropic", params["id"] ?? "")),
    }),
    keyRoute({
      method: "GET",
      path: "/v1/messages/batches/{id}/results",
      query: NO_QUERY,
      doc: {
        operationId: "getMessageBatchResults",
        summary: "What became of each request, one JSON object on each line",
        tag: "Batches",
        pathParameters: BATCH_ID,
        responses: {
          200: {
            description:
              "For 29 days after the batch was made, in the order of the requests: `custom_id` and `result`, which is `succeeded`, `errored`, `canceled` or `expired`.",
            content: { "application/x-jsonl": Type.String() },
          },
        },
        errors: [401, 403],
      },
      async handle({ key, params }) {
        const { bytes, open } = await batches.results(key.accountId, params["id"] ?? "");
        return {
          headers: { "cache-control": "no-store", "x-content-type-options": "nosniff" },
          content: { contentType: "application/x-jsonl", sizeBytes: bytes, open },
        };
      },
    }),
    keyRoute({
      method: "DELETE",
      path: "/v1/messages/batches/{id}",
      query: NO_QUERY,
      doc: {
        operationId: "deleteMessageBatch",
        summary: "Forgets a message batch that has ended, and its results",
        description: "409 while it has not ended.",
        tag: "Batches",
        pathParameters: BATCH_ID,
        responses: {
          200: { description: "It is gone.", content: { "application/json": MessageBatchDeleted } },
        },
        errors: [401, 403, 409],
      },
      async handle({ key, params }) {
        const id = params["id"] ?? "";
        await batches.forget(key.accountId, id);
        return { content: { json: { id, type: "message_batch_deleted" } } };
      },
    }),
  ];
}

const ENCODED = new Fault("unsupported_media_type", {
  message: "Send the body uncompressed; content-encoding is not taken.",
});

const EMPTY = new Fault("invalid_request", {
  message: "The body is empty. Send a JSON object.",
});

function tooLarge({ limitBytes }: Pick<MessageBatchesRouteDeps, "limitBytes">): Fault {
  return new Fault("request_too_large", {
    message: `A message batch has ${Math.floor(limitBytes / 1024 / 1024)} MB at most.`,
  });
}

function cursorOf(name: string, id: string): string {
  const batchId = parseBatchId("anthropic", id);
  if (batchId !== null) return batchId;
  throw new Fault("invalid_request", {
    message: `${name}: take it from \`first_id\` or \`last_id\` of a page.`,
    param: name,
  });
}
