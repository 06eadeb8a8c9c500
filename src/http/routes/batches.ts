/** `/v1/batches`: batches of the OpenAI protocol, of files that were sent before (contract §13). */
import Type, { type Static } from "typebox";
import { Batch, BatchList, BatchRequestBody } from "../../contract/batch.ts";
import { readIdempotencyKey } from "../../idempotency/idempotency-key.ts";
import { Fault } from "../../kernel/faults.ts";
import { CHAT_DIALECTS } from "../../protocol/chat-dialects.ts";
import type { AccountBatches } from "../../serving/batches/account-batches.ts";
import { parseBatchId } from "../../serving/batches/batch-ids.ts";
import { BATCH_URLS, endpointOfUrl, FILE_ENDPOINTS } from "../../serving/batches/batch-urls.ts";
import type { BatchOrder } from "../../serving/batches/create-batch.ts";
import type { BatchRecord, PassedOn } from "../../batches/batch-record.ts";
import { isBatchCall } from "../../contract/enums/batch-endpoint.ts";
import { batchObject } from "../batch-bodies.ts";
import { forwardedParts } from "../forwarded-parts.ts";
import type { Route } from "../route.ts";
import { keyRoute } from "../route.ts";
import { IDEMPOTENCY_KEY } from "./chat-headers.ts";

export interface BatchesRouteDeps {
  readonly batches: AccountBatches;
  createBatch(order: BatchOrder): Promise<BatchRecord>;
}

const NO_QUERY = Type.Object({});
const MOST_ON_A_PAGE = 100;
const NOTHING_PASSED: PassedOn = { forward: {}, query: "" };

const ListQuery = Type.Object({
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: MOST_ON_A_PAGE, default: 20 })),
  after: Type.Optional(Type.String({ description: "`last_id` of the page before." })),
});

const BATCH_ID = {
  id: { description: "The batch.", example: "batch_0199a1b2c3d47e5f8a9b0c1d2e3f4a5b" },
};

export function batchesRoutes({ batches, createBatch }: BatchesRouteDeps): Route[] {
  const one = { 200: { description: "The batch.", content: { "application/json": Batch } } };
  return [
    keyRoute({
      method: "POST",
      path: "/v1/batches",
      query: NO_QUERY,
      doc: {
        operationId: "createBatch",
        summary: "Works off a file of requests within a day",
        description:
          "The file is validated behind the answer: `validating`, then `in_progress`, or `failed` with `errors` that name the lines. " +
          "What all lines may cost at most is held as one hold when it is admitted, at the model's price for batches where it has one; each line is charged when it is answered, " +
          "and what is left is released at the end. Lines run behind all other requests, a few at a time; one that an upstream cannot serve for the moment is tried again. " +
          "What has not run within 24 hours is in the error file, and costs nothing.",
        tag: "Batches",
        headers: IDEMPOTENCY_KEY,
        requestBody: BatchRequestBody,
        responses: one,
        errors: [400, 401, 403, 408, 409, 410, 413, 415, 429],
      },
      async handle({ key, requestId, body, clientAddress: ip, headers, target }) {
        const wish = body as Static<typeof BatchRequestBody>;
        const endpoint = endpointOfUrl(wish.endpoint);
        if (endpoint === null)
          throw new Fault("invalid_request", {
            message: `endpoint: ${FILE_ENDPOINTS.map((each) => `"${BATCH_URLS[each]}"`).join(", ")} can be asked in batches; messages are sent to POST /v1/messages/batches.`,
            param: "endpoint",
          });
        const batch = await createBatch({
          key,
          requestId,
          idempotencyKey: readIdempotencyKey(headers["idempotency-key"]),
          body: Buffer.from(JSON.stringify(wish)),
          ip,
          passedOn: isBatchCall(endpoint)
            ? NOTHING_PASSED
            : forwardedParts(CHAT_DIALECTS[endpoint].forwarded, headers, target),
          inputFileId: wish.input_file_id,
          endpoint,
          metadata: wish.metadata ?? null,
          outputSeconds: wish.output_expires_after?.seconds ?? null,
        });
        return { content: { json: batchObject(batch) } };
      },
    }),
    keyRoute({
      method: "GET",
      path: "/v1/batches",
      query: ListQuery,
      doc: {
        operationId: "listBatches",
        summary: "The account's batches, newest first",
        tag: "Batches",
        responses: { 200: { description: "A page.", content: { "application/json": BatchList } } },
        errors: [400, 401, 403],
      },
      async handle({ key, query }) {
        const { limit = 20, after } = query;
        const found = await batches.list({
          accountId: key.accountId,
          shape: "openai",
          olderThan: after === undefined ? null : cursorOf(after),
          newerThan: null,
          limit: limit + 1,
        });
        const data = found.slice(0, limit).map(batchObject);
        const ends = { first_id: data[0]?.id ?? null, last_id: data.at(-1)?.id ?? null };
        return {
          content: { json: { object: "list", data, ...ends, has_more: found.length > limit } },
        };
      },
    }),
    keyRoute({
      method: "GET",
      path: "/v1/batches/{id}",
      query: NO_QUERY,
      doc: {
        operationId: "getBatch",
        summary: "One batch",
        tag: "Batches",
        pathParameters: BATCH_ID,
        responses: one,
        errors: [401, 403],
      },
      handle: async ({ key, params }) => ({
        content: {
          json: batchObject(await batches.find(key.accountId, "openai", params["id"] ?? "")),
        },
      }),
    }),
    keyRoute({
      method: "POST",
      path: "/v1/batches/{id}/cancel",
      query: NO_QUERY,
      doc: {
        operationId: "cancelBatch",
        summary: "Stops a batch",
        description:
          "No line of it begins any more; those under way end and are charged. Then it is `cancelled`: what was answered is in the output file, the rest in the error file.",
        tag: "Batches",
        pathParameters: BATCH_ID,
        responses: one,
        errors: [401, 403, 409],
      },
      handle: async ({ key, params }) => ({
        content: {
          json: batchObject(await batches.cancel(key.accountId, "openai", params["id"] ?? "")),
        },
      }),
    }),
  ];
}

function cursorOf(after: string): string {
  const batchId = parseBatchId("openai", after);
  if (batchId !== null) return batchId;
  throw new Fault("invalid_request", {
    message: "after: take it from `last_id` of the page before.",
    param: "after",
  });
}
