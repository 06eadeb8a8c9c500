/**
 * Replicate's predictions: create (by version or by model), get, list, cancel, and the secret of
 * the webhooks.
 */
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Endpoint } from "../endpoint.ts";
import { isObject } from "../is-object.ts";
import { readBody } from "../read-body.ts";
import { sendJson } from "../send-json.ts";
import { sentKey } from "../sent-key.ts";
import type { TaskBoard } from "../tasks/task-board.ts";
import type { TaskDesk } from "../tasks/task-desk.ts";
import { createReplicateDialect, prediction, replicateSecret } from "./replicate-dialect.ts";

const ID = /^\/v1\/predictions\/([^/]+)/;
const MODEL = /^\/v1\/models\/(.+)\/predictions\/?$/;
const MISSING = "The requested resource could not be found.";
const PAGE = 100;

export function replicateEndpoints(
  desk: TaskDesk,
  board: TaskBoard,
  secret: string | undefined,
): Endpoint[] {
  const dialect = createReplicateDialect(secret);
  desk.resume(dialect);
  const deny = (): unknown => ({
    title: "Unauthenticated",
    detail: "You did not pass an authentication token",
    status: 401,
  });

  const create = async (
    req: IncomingMessage,
    res: ServerResponse,
    path: string,
  ): Promise<string> => {
    const body = await readBody(req);
    if (body.kind === "gone") return "client-gone before its body was complete";
    const value = body.kind === "json" ? body.value : {};
    const { input, webhook } = value;
    const named = MODEL.exec(path)?.[1];
    const model =
      named === undefined ? (value["version"] ?? value["model"]) : decodeURIComponent(named);
    if (
      typeof model !== "string" ||
      !isObject(input) ||
      (webhook !== undefined && typeof webhook !== "string")
    ) {
      sendJson(res, 422, {
        title: "Input validation failed",
        detail: "- version: is required\n- input: is required",
        status: 422,
      });
      return "replicate 422";
    }
    return await desk.create(
      dialect,
      { model, input, callbackUrl: webhook ?? null, apiKey: sentKey(req) },
      req,
      res,
    );
  };

  return [
    { method: "POST", path: /^\/v1\/predictions\/?$/, deny, serve: create },
    { method: "POST", path: MODEL, deny, serve: create },
    {
      method: "GET",
      path: /^\/v1\/predictions\/?$/,
      deny,
      serve(req, res) {
        const apiKey = sentKey(req);
        const own = board
          .tasks()
          .filter((task) => task.protocol === "replicate" && task.apiKey === apiKey);
        sendJson(res, 200, {
          previous: null,
          next: null,
          results: own.slice(-PAGE).toReversed().map(prediction),
        });
        return "replicate list 200";
      },
    },
    {
      method: "GET",
      path: /^\/v1\/predictions\/[^/]+\/?$/,
      deny,
      serve(req, res, path) {
        const about = { id: ID.exec(path)?.[1] ?? "", apiKey: sentKey(req), missing: MISSING };
        return desk.poll(dialect, about, (task) => ({ status: 200, body: prediction(task) }), res);
      },
    },
    {
      method: "POST",
      path: /^\/v1\/predictions\/[^/]+\/cancel\/?$/,
      deny,
      serve(req, res, path) {
        req.resume();
        const task = desk.find(dialect, ID.exec(path)?.[1] ?? "", sentKey(req));
        if (task === null) {
          sendJson(res, 404, dialect.errorBody(404, MISSING));
          return "replicate cancel 404";
        }
        // One that has ended is answered as it is, without an error.
        desk.cancel(dialect, task);
        sendJson(res, 200, prediction(task));
        return "replicate cancel 200";
      },
    },
    {
      method: "GET",
      path: /^\/v1\/webhooks\/default\/secret\/?$/,
      deny,
      serve(req, res) {
        sendJson(res, 200, { key: secret ?? replicateSecret(sentKey(req)) });
        return "200";
      },
    },
  ];
}
