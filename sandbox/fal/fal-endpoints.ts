/** fal's queue under /fal: submit, status, response, cancel, and the public key of its webhooks. */
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Endpoint } from "../endpoint.ts";
import { readBody } from "../read-body.ts";
import { sendJson } from "../send-json.ts";
import { sentKey } from "../sent-key.ts";
import type { TaskDesk } from "../tasks/task-desk.ts";
import type { TaskAnswer } from "../tasks/task-dialect.ts";
import type { Task } from "../tasks/task.ts";
import { createFalDialect } from "./fal-dialect.ts";

const REQUEST = /\/requests\/([0-9a-f-]+)/;
const MISSING = "Request not found";

export function falEndpoints(desk: TaskDesk): Endpoint[] {
  const dialect = createFalDialect();
  desk.resume(dialect);
  const deny = (): unknown => ({
    detail: "Cannot access application. Authentication is required to access this application.",
  });
  const poll = (
    req: IncomingMessage,
    res: ServerResponse,
    path: string,
    shape: (task: Task) => TaskAnswer,
  ): Promise<string> =>
    desk.poll(
      dialect,
      { id: REQUEST.exec(path)?.[1] ?? "", apiKey: sentKey(req), missing: MISSING },
      shape,
      res,
    );
  return [
    {
      method: "GET",
      path: /^\/fal\/\.well-known\/jwks\.json$/,
      deny: null,
      serve(_req, res) {
        sendJson(res, 200, dialect.jwks());
        return "200";
      },
    },
    {
      method: "GET",
      path: /^\/fal\/.+\/requests\/[0-9a-f-]+\/status$/,
      deny,
      serve: (req, res, path) => poll(req, res, path, dialect.status),
    },
    {
      method: "GET",
      path: /^\/fal\/.+\/requests\/[0-9a-f-]+$/,
      deny,
      serve(req, res, path) {
        const task = desk.find(dialect, REQUEST.exec(path)?.[1] ?? "", sentKey(req));
        const { status, body } =
          task === null ? dialect.refused(404, MISSING) : dialect.result(task);
        // Broken JSON is kept as text.
        if (typeof body === "string")
          res.writeHead(status, { "content-type": "application/json" }).end(body);
        else sendJson(res, status, body);
        return `fal response ${status}`;
      },
    },
    {
      method: "PUT",
      path: /^\/fal\/.+\/requests\/[0-9a-f-]+\/cancel$/,
      deny,
      serve(req, res, path) {
        req.resume();
        const task = desk.find(dialect, REQUEST.exec(path)?.[1] ?? "", sentKey(req));
        if (task === null) sendJson(res, 404, { status: "NOT_FOUND" });
        else if (desk.cancel(dialect, task))
          sendJson(res, 202, { status: "CANCELLATION_REQUESTED" });
        else sendJson(res, 400, { status: "ALREADY_COMPLETED" });
        return `fal cancel ${res.statusCode}`;
      },
    },
    {
      method: "POST",
      path: /^\/fal\/.+$/,
      deny,
      async serve(req, res, path) {
        const body = await readBody(req);
        if (body.kind === "gone") return "client-gone before its body was complete";
        if (body.kind !== "json") {
          sendJson(res, 422, {
            detail: [{ loc: ["body"], msg: "JSON decode error", type: "json_invalid" }],
          });
          return "fal 422";
        }
        const callbackUrl = new URL(req.url ?? "/", "http://sandbox").searchParams.get(
          "fal_webhook",
        );
        const order = {
          model: decodeURIComponent(path.slice("/fal/".length)),
          input: body.value,
          callbackUrl,
          apiKey: sentKey(req),
        };
        return await desk.create(dialect, order, req, res);
      },
    },
  ];
}
