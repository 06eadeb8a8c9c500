/** Shows tests what was submitted and what became of it; on loopback only, and without any key. */
import type { IncomingMessage, ServerResponse } from "node:http";
import { sendJson } from "../send-json.ts";
import type { TaskBoard } from "./task-board.ts";
import type { Task } from "./task.ts";

/**
 * `GET /sandbox/tasks?tag=&model=&callback=&task=` lists what fits every word of it (`callback` is
 * part of the URL); `DELETE` forgets all.
 */
export function inspectTasks(
  req: IncomingMessage,
  res: ServerResponse,
  board: TaskBoard,
  forget: () => void,
): string {
  if (!/^(::ffff:)?127\.|^::1$/.test(req.socket.remoteAddress ?? "")) {
    sendJson(res, 404, { error: "not found" });
    return "404";
  }
  if (req.method === "DELETE") {
    forget();
    sendJson(res, 200, { tasks: [], submissions: [], attempts: {} });
    return "200 cleared";
  }
  const wanted = new URL(req.url ?? "/", "http://sandbox").searchParams;
  const fits = (one: {
    tag: string | null;
    model: string;
    callbackUrl: string | null;
    id: string | null;
  }): boolean =>
    (wanted.get("tag") ?? one.tag) === one.tag &&
    (wanted.get("model") ?? one.model) === one.model &&
    (wanted.get("task") ?? one.id) === one.id &&
    (one.callbackUrl ?? "").includes(wanted.get("callback") ?? "");
  const submissions = board.submissions().filter((one) => fits({ ...one, id: one.taskId }));
  const tasks = board.tasks().filter((task) => fits({ ...task, tag: task.directives.tag }));
  const attempts: Record<string, number> = {};
  for (const { callbackUrl } of submissions)
    if (callbackUrl !== null) attempts[callbackUrl] = (attempts[callbackUrl] ?? 0) + 1;
  sendJson(res, 200, { tasks: tasks.map(show), submissions, attempts });
  return `200 ${tasks.length} tasks`;
}

function show(task: Task): object {
  return {
    taskId: task.id,
    protocol: task.protocol,
    model: task.model,
    tag: task.directives.tag,
    input: task.input,
    callbackUrl: task.callbackUrl,
    state: task.phase,
    failure: task.failure,
    createdAt: task.createdAt,
    startedAt: task.startedAt,
    endedAt: task.endedAt,
    results: task.results,
    cost: task.cost,
    polls: task.polls,
    webhooks: task.webhooks,
    downloads: task.downloads,
  };
}
