/** `GET /v1/requests` and `GET /v1/requests/{id}`: the receipts of the caller's own account. */
import Type from "typebox";
import { REQUEST_KINDS } from "../../contract/enums/request-kind.ts";
import { Receipt, ReceiptList } from "../../contract/receipt.ts";
import { listRequests } from "../../business/requests/list-requests.ts";
import type { Books } from "../../business/past/books.ts";
import type { PriceHistory } from "../../business/requests/price-history.ts";
import { readRequest } from "../../business/requests/read-request.ts";
import { Fault } from "../../kernel/faults.ts";
import type { Uuid } from "../../kernel/ids.ts";
import { formatRequestId, parseRequestId } from "../../kernel/ids.ts";
import { LIST_PAGE_DEFAULT, LIST_PAGE_MAX } from "../../kernel/limits.ts";
import { readMoment } from "../read-moment.ts";
import type { Route } from "../route.ts";
import { keyRoute } from "../route.ts";

export interface RequestsRouteDeps {
  readonly books: Books;
  readonly prices: PriceHistory;
}

const ListQuery = Type.Object({
  cursor: Type.Optional(Type.String({ description: "`nextCursor` of the page before." })),
  limit: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: LIST_PAGE_MAX,
      default: LIST_PAGE_DEFAULT,
      description: "Receipts on a page.",
    }),
  ),
  key: Type.Optional(
    Type.String({ pattern: "^[0-9a-f]{64}$", description: "Only of this key, by its hash." }),
  ),
  model: Type.Optional(
    Type.String({
      pattern: "^[A-Za-z0-9][A-Za-z0-9._:/-]{0,255}$",
      description: "Only of this model: the one whose price counted.",
    }),
  ),
  state: Type.Optional(
    Type.String({
      pattern: "^[a-z_]{1,40}$",
      description: "Only in this state, e.g. `completed`.",
    }),
  ),
  kind: Type.Optional(Type.Enum([...REQUEST_KINDS], { description: "Only of this kind." })),
  from: Type.Optional(
    Type.String({
      description: "Only from this moment on. ISO 8601; a plain date means its midnight, UTC.",
      examples: ["2026-11-01"],
    }),
  ),
  to: Type.Optional(
    Type.String({
      description: "Only before this moment. ISO 8601; a plain date means its midnight, UTC.",
      examples: ["2026-12-01T00:00:00Z"],
    }),
  ),
});

export function requestsRoutes({ books, prices }: RequestsRouteDeps): Route[] {
  return [
    keyRoute({
      method: "GET",
      path: "/v1/requests",
      query: ListQuery,
      doc: {
        operationId: "listRequests",
        summary: "The account's requests and tasks, newest first",
        description:
          "A chat request is listed when it has ended, a task from its order on (charged 0 until it is completed). The charges of all pages add up to what was charged.",
        tag: "Account",
        responses: {
          200: { description: "A page of receipts.", content: { "application/json": ReceiptList } },
        },
        errors: [400, 401, 403],
      },
      async handle({ key, query }) {
        const page = await listRequests({ books, prices }, key.accountId, {
          before: readCursor(query.cursor),
          limit: query.limit ?? LIST_PAGE_DEFAULT,
          keyHash: query.key ?? null,
          model: query.model ?? null,
          state: query.state ?? null,
          kind: query.kind ?? null,
          from: readMoment("from", query.from),
          to: readMoment("to", query.to),
        });
        return {
          content: {
            json: {
              data: page.receipts,
              nextCursor: page.next === null ? null : formatRequestId(page.next),
            },
          },
        };
      },
    }),
    keyRoute({
      method: "GET",
      path: "/v1/requests/{id}",
      query: Type.Object({}),
      doc: {
        operationId: "getRequest",
        summary: "One receipt",
        tag: "Account",
        pathParameters: {
          id: {
            description: "As in the `x-request-id` header of its answer; of a task its taskId.",
            example: "req_0199a1b2c3d47e5f8a9b0c1d2e3f4a5b",
          },
        },
        responses: {
          200: { description: "The receipt.", content: { "application/json": Receipt } },
        },
        errors: [401, 403],
      },
      async handle({ key, params }) {
        const requestId = parseRequestId(params["id"] ?? "");
        const receipt =
          requestId === null
            ? null
            : await readRequest(books, prices, { accountId: key.accountId, requestId });
        // One answer for all: it does not tell whether another account has such a request.
        if (receipt === null)
          throw new Fault("not_found", {
            message: "This account has no such request that has ended.",
          });
        return { content: { json: receipt } };
      },
    }),
  ];
}

function readCursor(cursor: string | undefined): Uuid | null {
  if (cursor === undefined) return null;
  const requestId = parseRequestId(cursor);
  if (requestId === null)
    throw new Fault("invalid_request", {
      message:
        "'cursor' is not one that this list gave out. Leave it out to begin with the newest.",
      param: "cursor",
    });
  return requestId;
}
