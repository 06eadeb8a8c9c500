/**
 * `POST /v1/callbacks/{upstream}/{token}`: where providers report on what they make for us. The
 * answer is the same whatever is sent.
 */
import Type from "typebox";
import type { CallbackDesk } from "../../serving/tasks/accept-callback.ts";
import { readBody } from "../chat-body.ts";
import type { Route } from "../route.ts";
import { openIncomingRoute } from "../route.ts";

/** Their reports hold links, not files. */
const BODY_LIMIT_BYTES = 256 * 1024;
const BODY_DEADLINE_MS = 5_000;

export function callbackRoutes(callbacks: Pick<CallbackDesk, "hear">): Route[] {
  return [
    openIncomingRoute({
      method: "POST",
      path: "/v1/callbacks/{upstream}/{token}",
      family: "tasks",
      doc: {
        operationId: "hearProvider",
        summary: "What a provider reports",
        description:
          "Not for callers: its address is made for one submission, and all it does is that the task is looked at now.",
        internal: true,
        tag: "Tasks",
        pathParameters: {
          upstream: { description: "As the catalogue names it.", example: "kie" },
          token: {
            description: "Of the submission.",
            example: "6f1d3c9e-6d1e-4c0f-9b53-0a6f4f3f9a11",
          },
        },
        responses: {
          200: { description: "It was heard.", content: { "application/json": Type.Object({}) } },
        },
        errors: [],
      },
      async handle({ params, headers, body: incoming }) {
        incoming.begin();
        // Whatever is wrong with it, the address alone says which task is meant.
        const body = await readBody(incoming.request, BODY_LIMIT_BYTES, BODY_DEADLINE_MS).catch(
          () => Buffer.alloc(0),
        );
        callbacks.hear({
          upstream: params["upstream"] ?? "",
          token: params["token"] ?? "",
          headers,
          body,
        });
        return { content: { json: { code: 200, msg: "success" } } };
      },
    }),
  ];
}
