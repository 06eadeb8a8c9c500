/** `/v1/responses/{id}`: a kept answer, what was sent for it, and its deletion, for its account. */
import Type from "typebox";
import { DeletedResponse, InputItemList } from "../../contract/kept-response.ts";
import { Response } from "../../contract/response.ts";
import { Fault } from "../../kernel/faults.ts";
import type { KeptResponses } from "../../serving/responses/kept-responses.ts";
import type { Route } from "../route.ts";
import { keyRoute } from "../route.ts";

export interface KeptResponsesRouteDeps {
  readonly keptResponses: KeptResponses;
}

/** As the vendor has them. */
const PAGE_DEFAULT = 20;
const PAGE_MAX = 100;

const PATH = "/v1/responses/{id}";
const ID = {
  id: { description: "As the answer says it.", example: "resp_0199a1b2c3d47e5f8a9b0c1d2e3f4a5b" },
};
const FindQuery = Type.Object({
  stream: Type.Optional(
    Type.Boolean({ description: "Only `false`: a kept answer is given whole." }),
  ),
});

const InputQuery = Type.Object({
  after: Type.Optional(
    Type.String({ maxLength: 128, description: "`last_id` of the page before." }),
  ),
  limit: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: PAGE_MAX,
      default: PAGE_DEFAULT,
      description: "Items on a page.",
    }),
  ),
  order: Type.Optional(
    Type.Enum(["asc", "desc"], { default: "desc", description: "`desc`: the last one first." }),
  ),
});

/** One answer for all: it does not tell whether another account has such a response. */
function notFound(id: string): Fault {
  return new Fault("not_found", {
    message: `Response with id '${id.slice(0, 128)}' not found. Answers are kept for their account for a time, unless they were asked for with \`store: false\` or were deleted.`,
  });
}

export function keptResponsesRoutes({ keptResponses }: KeptResponsesRouteDeps): Route[] {
  return [
    keyRoute({
      method: "GET",
      path: PATH,
      query: FindQuery,
      doc: {
        operationId: "getResponse",
        summary: "A kept response",
        description:
          "As it was answered, to any key of its account, for as long as it is kept. Only a response that came to its end is kept; its last event, or its body, says `store: true`.",
        tag: "Chat",
        pathParameters: ID,
        responses: {
          200: { description: "The response.", content: { "application/json": Response } },
        },
        errors: [400, 401, 403],
      },
      async handle({ key, params, query }) {
        const { id = "" } = params;
        if (query.stream === true)
          throw new Fault("invalid_request", {
            message: "A kept response is given whole: leave 'stream' out.",
            param: "stream",
          });
        const response = await keptResponses.find(key.accountId, id);
        if (response === null) throw notFound(id);
        // Bytes, as the answer itself was: much of them is an upstream's own.
        return { content: { contentType: "application/json; charset=utf-8", bytes: response } };
      },
    }),
    keyRoute({
      method: "DELETE",
      path: PATH,
      query: Type.Object({}),
      doc: {
        operationId: "deleteResponse",
        summary: "Delete a kept response",
        description:
          "At once and for good, what was sent for it too. A conversation that went on from it cannot go on any more.",
        tag: "Chat",
        pathParameters: ID,
        responses: {
          200: { description: "It is gone.", content: { "application/json": DeletedResponse } },
        },
        errors: [401, 403],
      },
      async handle({ key, params }) {
        const { id = "" } = params;
        if (!(await keptResponses.delete(key.accountId, id))) throw notFound(id);
        return { content: { json: { id, object: "response.deleted", deleted: true } } };
      },
    }),
    keyRoute({
      method: "GET",
      path: `${PATH}/input_items`,
      query: InputQuery,
      doc: {
        operationId: "listResponseInputItems",
        summary: "What was sent for a kept response",
        description:
          "The items of that request alone, without the conversation that it went on from.",
        tag: "Chat",
        pathParameters: ID,
        responses: {
          200: { description: "A page of items.", content: { "application/json": InputItemList } },
        },
        errors: [400, 401, 403],
      },
      async handle({ key, params, query }) {
        const { id = "" } = params;
        const { after = null, limit = PAGE_DEFAULT, order = "desc" } = query;
        const page = await keptResponses.listInput(key.accountId, id, { after, limit, order });
        if (page === null) throw notFound(id);
        if (page === "unknown-item")
          throw new Fault("invalid_request", {
            message: "'after' names no item of this response. Take it from `last_id`.",
            param: "after",
          });
        const { items, more } = page;
        return {
          content: {
            json: {
              object: "list",
              data: items,
              first_id: items[0]?.["id"] ?? null,
              last_id: items.at(-1)?.["id"] ?? null,
              has_more: more,
            },
          },
        };
      },
    }),
  ];
}
