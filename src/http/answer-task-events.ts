/**
 * What happens to a task as server-sent events, for those who may see the task: a caller with a
 * key, or a session of the panel.
 */
import type { IncomingHttpHeaders } from "node:http";
import { followTask, type TaskNotice } from "../serving/tasks/follow-task.ts";
import { readTask } from "../serving/tasks/read-task.ts";
import type { Uuid } from "../kernel/ids.ts";
import { KEEP_ALIVE_MS } from "../kernel/limits.ts";
import { foundTask } from "./found-task.ts";
import type { Answer } from "./route.ts";
import { soleHeader } from "./sole-header.ts";
import type { TaskRouteDeps } from "./task-route-deps.ts";

/** Whose tasks are spoken of. */
interface TaskOwner {
  readonly accountId: Uuid;
}

interface EventsCall {
  readonly taskId: string;
  readonly headers: IncomingHttpHeaders;
  readonly method: string;
}

export async function answerTaskEvents(
  deps: TaskRouteDeps,
  { accountId }: TaskOwner,
  { taskId, headers, method }: EventsCall,
): Promise<Answer> {
  if (method === "HEAD") {
    foundTask(await readTask(deps, { accountId, taskId, waitMs: 0, signal: AbortSignal.abort() }));
    return {
      status: 200,
      headers: { "content-type": "text/event-stream; charset=utf-8" },
      content: { nothing: true },
    };
  }
  const lastEventId = soleHeader(headers["last-event-id"]);
  const following = await followTask(deps, { accountId, taskId, lastEventId });
  if (following.kind === "missing") return foundTask<Answer>(null);
  if (following.kind === "over") return { status: 204, content: { nothing: true } };
  return {
    content: { live: (signal) => asEvents(following.follow(signal)), keepAliveMs: KEEP_ALIVE_MS },
  };
}

async function* asEvents(notices: AsyncGenerator<TaskNotice>): AsyncGenerator<string> {
  for await (const { id, event, data } of notices) {
    yield `${id === null ? "" : `id: ${id}\n`}event: ${event}\ndata: ${JSON.stringify(data)}\n\n`;
  }
}
