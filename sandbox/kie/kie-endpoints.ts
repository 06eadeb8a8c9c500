/** kie's two paths: creating a task and reading its record. */
import type { Endpoint } from "../endpoint.ts";
import { isObject } from "../is-object.ts";
import { readBody } from "../read-body.ts";
import { sendJson } from "../send-json.ts";
import { sentKey } from "../sent-key.ts";
import type { TaskDesk } from "../tasks/task-desk.ts";
import { createKieDialect, kieRecordAnswer } from "./kie-dialect.ts";

export interface KieEndpointsOptions {
  readonly desk: TaskDesk;
  readonly now: () => number;
  readonly runMs: number;
  readonly webhookKey?: string;
}

export function kieEndpoints(options: KieEndpointsOptions): Endpoint[] {
  const { desk, now, runMs } = options;
  const dialect = createKieDialect(options);
  desk.resume(dialect);
  const deny = (): unknown => dialect.errorBody(401, "You do not have access permissions");
  return [
    {
      method: "POST",
      path: /^\/api\/v1\/jobs\/createTask\/?$/,
      deny,
      async serve(req, res) {
        const body = await readBody(req);
        if (body.kind === "gone") return "client-gone before its body was complete";
        const value = body.kind === "json" ? body.value : {};
        const { model, input, callBackUrl } = value;
        if (
          typeof model !== "string" ||
          !isObject(input) ||
          (callBackUrl !== undefined && callBackUrl !== null && typeof callBackUrl !== "string")
        ) {
          const message =
            body.kind === "json"
              ? "model, input and callBackUrl (if any) are required in their documented types"
              : "The body is not JSON";
          const { status, body: answer } = dialect.rejected([{ field: "", message }]);
          sendJson(res, status, answer);
          return "kie 422";
        }
        const order = { model, input, callbackUrl: callBackUrl ?? null, apiKey: sentKey(req) };
        return await desk.create(dialect, order, req, res);
      },
    },
    {
      method: "GET",
      path: /^\/api\/v1\/jobs\/recordInfo\/?$/,
      deny,
      serve(req, res) {
        const id = new URL(req.url ?? "/", "http://sandbox").searchParams.get("taskId") ?? "";
        const about = { id, apiKey: sentKey(req), missing: "recordInfo is null" };
        return desk.poll(dialect, about, (task) => kieRecordAnswer(task, now(), runMs), res);
      },
    },
  ];
}
