/**
 * `GET /v1/models` and `GET /v1/models/{id}`, in the shape of the protocol that the caller speaks
 * (hazards §137).
 */
import type { IncomingHttpHeaders } from "node:http";
import Type from "typebox";
import {
  AnthropicModel,
  AnthropicModelList,
  OpenAiModel,
  OpenAiModelList,
} from "../../contract/model-list.ts";
import { REQUEST_KINDS } from "../../contract/enums/request-kind.ts";
import type { ListedModel, ModelLists } from "../../serving/models/list-models.ts";
import { Fault } from "../../kernel/faults.ts";
import { LIST_PAGE_MAX } from "../../kernel/limits.ts";
import type { KeyRecord } from "../../keys/key-record.ts";
import type { Answer, Route } from "../route.ts";
import { keyRoute } from "../route.ts";

export interface ModelsRouteDeps {
  listModels(key: KeyRecord): Promise<ModelLists>;
  findModel(key: KeyRecord, id: string): Promise<ListedModel | null>;
}

const VERSION_HEADER = {
  "anthropic-version": {
    description:
      "Any value asks for the Messages protocol's shape; without it the answer has OpenAI's.",
    example: "2023-06-01",
  },
};

const ListQuery = Type.Object({
  type: Type.Optional(
    Type.Enum([...REQUEST_KINDS], {
      description: "Only models of this type; there may be none of it.",
    }),
  ),
  limit: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: LIST_PAGE_MAX,
      description: "Of the Messages shape: entries on a page. All by default.",
      examples: [1000],
    }),
  ),
  after_id: Type.Optional(
    Type.String({ description: "Of the Messages shape: the page that follows this id." }),
  ),
  before_id: Type.Optional(
    Type.String({ description: "Of the Messages shape: the page that ends before this id." }),
  ),
});

export function modelsRoutes(deps: ModelsRouteDeps): Route[] {
  return [
    keyRoute({
      method: "GET",
      path: "/v1/models",
      query: ListQuery,
      doc: {
        operationId: "listModels",
        summary: "The models that the key may use, with prices",
        description:
          "OpenAI's shape has no pages: it always holds every model. The Messages shape is paged by `limit`, `after_id` and `before_id`; it lists chat models alone, " +
          "unless `type` asks for others, and before them the current model of each family by an id of the family, `claude-opus-latest`, for clients that look for such ids.",
        tag: "Models",
        headers: VERSION_HEADER,
        responses: {
          200: {
            description: "The list.",
            content: { "application/json": Type.Union([OpenAiModelList, AnthropicModelList]) },
          },
        },
        errors: [400, 401, 403],
      },
      async handle({ key, headers, query }) {
        const { models, families } = await deps.listModels(key);
        const { type = speaksMessages(headers) ? "chat" : null } = query;
        const listed = models.filter((model) => type === null || model.type === type);
        if (!speaksMessages(headers)) return ok({ object: "list", data: listed.map(openAiModel) });
        return ok(anthropicPage(type === "chat" ? [...families, ...listed] : listed, query));
      },
    }),
    keyRoute({
      method: "GET",
      path: "/v1/models/{id}",
      catchAll: true,
      query: Type.Object({}),
      doc: {
        operationId: "getModel",
        summary: "One model",
        tag: "Models",
        pathParameters: {
          id: {
            description: "The model's id; slashes in it may be written raw or as %2F.",
            example: "sandbox-large",
          },
        },
        headers: VERSION_HEADER,
        responses: {
          200: {
            description: "The model.",
            content: { "application/json": Type.Union([OpenAiModel, AnthropicModel]) },
          },
        },
        errors: [401, 403],
      },
      async handle({ key, headers, params }) {
        const id = params["id"] ?? "";
        const model = await deps.findModel(key, id);
        if (model === null)
          throw new Fault("model_not_found", {
            message: `There is no model "${shortened(id)}" for this key. GET /v1/models lists what there is.`,
            param: "model",
          });
        return ok(speaksMessages(headers) ? anthropicModel(model) : openAiModel(model));
      },
    }),
  ];
}

function ok(json: unknown): Answer {
  // What is answered hangs on a header, so a cache must look at it.
  return { headers: { vary: "anthropic-version" }, content: { json } };
}

function speaksMessages(headers: IncomingHttpHeaders): boolean {
  return headers["anthropic-version"] !== undefined;
}

function shortened(id: string): string {
  return id.length > 100 ? `${id.slice(0, 100)}…` : id;
}

function openAiModel(model: ListedModel): object {
  return {
    id: model.id,
    object: "model",
    created: Math.floor(model.createdAt.getTime() / 1000),
    owned_by: "tollgate",
    type: model.type,
    ...ours(model),
    ...(model.contextTokens === null ? {} : { context_length: model.contextTokens }),
    ...(model.maxOutputTokens === null ? {} : { max_output_tokens: model.maxOutputTokens }),
  };
}

function anthropicModel(model: ListedModel): object {
  return {
    type: "model",
    id: model.id,
    display_name: model.displayName,
    created_at: model.createdAt.toISOString(),
    model_type: model.type,
    ...ours(model),
    ...(model.contextTokens === null ? {} : { max_input_tokens: model.contextTokens }),
    ...(model.maxOutputTokens === null ? {} : { max_tokens: model.maxOutputTokens }),
  };
}

function ours(model: ListedModel): object {
  return {
    endpoints: model.endpoints,
    ...(model.parameters === null ? {} : { parameters: model.parameters }),
    price: model.price,
  };
}

function anthropicPage(
  models: readonly ListedModel[],
  query: { limit?: number; after_id?: string; before_id?: string },
): object {
  const { limit = LIST_PAGE_MAX, after_id: after, before_id: before } = query;
  if (after !== undefined && before !== undefined)
    throw new Fault("invalid_request", {
      message: "Send either after_id or before_id, not both.",
      param: "before_id",
    });
  const start = after === undefined ? 0 : positionOf(models, after, "after_id") + 1;
  const end = before === undefined ? models.length : positionOf(models, before, "before_id");
  const rest = models.slice(start, end);
  const page = before === undefined ? rest.slice(0, limit) : rest.slice(-limit);
  return {
    data: page.map(anthropicModel),
    has_more: page.length < rest.length,
    first_id: page.at(0)?.id ?? null,
    last_id: page.at(-1)?.id ?? null,
  };
}

function positionOf(models: readonly ListedModel[], id: string, param: string): number {
  const position = models.findIndex((model) => model.id === id);
  if (position === -1)
    throw new Fault("invalid_request", {
      message: `${param} is not the id of a listed model.`,
      param,
    });
  return position;
}
