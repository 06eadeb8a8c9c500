/**
 * Answers a creation or a poll as badly as the task's directives ask; each function says for the
 * log what it did.
 */
import type { ServerResponse } from "node:http";
import { createReply } from "../reply.ts";
import { sendJson } from "../send-json.ts";
import type { CreateMode, PollMode, TaskDirectives } from "./task-directives.ts";
import type { TaskDialect } from "./task-dialect.ts";
import type { Task } from "./task.ts";

const GARBAGE = '{"code":200,"msg":"succ';
const HTML = "<!doctype html><title>502 Bad Gateway</title><h1>502 Bad Gateway</h1>";

/** Before anything is taken. Null: nothing of that kind was asked for. */
export async function refuseOnPurpose(
  dialect: TaskDialect,
  directives: TaskDirectives,
  res: ServerResponse,
): Promise<string | null> {
  const reply = createReply(res, { slowHeadersMs: 0, slice: null });
  const message = directives.message ?? "sandbox: as asked";
  if (directives.create === "reset") {
    reply.reset();
    return "reset";
  }
  if (directives.create === "hang") {
    await reply.hang();
    return "hang";
  }
  if (directives.retryAfter !== null) res.setHeader("retry-after", directives.retryAfter);
  if (directives.createStatus !== null) {
    sendJson(res, directives.createStatus, dialect.errorBody(directives.createStatus, message));
    return String(directives.createStatus);
  }
  if (directives.createCode !== null) {
    const { status, body } = dialect.refused(directives.createCode, message);
    sendJson(res, status, body);
    return `code ${directives.createCode}`;
  }
  return null;
}

/** The task is taken and runs; the caller that sent it cannot know. */
export async function loseAnswer(
  dialect: TaskDialect,
  how: CreateMode,
  task: Task,
  res: ServerResponse,
): Promise<string> {
  const reply = createReply(res, { slowHeadersMs: 0, slice: null });
  switch (how) {
    case "reset":
    case "reset-after":
      reply.reset();
      break;
    case "hang":
    case "hang-after":
      await reply.hang();
      break;
    case "no-id":
      sendJson(res, dialect.created(task).status, dialect.withoutId());
      break;
    case "garbage":
    case "html":
    case "empty":
      writeNonsense(how, res);
  }
  return how;
}

/** Null: nothing was asked for, and the poll is answered as it should be. */
export async function spoilPoll(
  dialect: TaskDialect,
  directives: TaskDirectives,
  res: ServerResponse,
): Promise<string | null> {
  const message = directives.message ?? "sandbox: as asked";
  if (
    (directives.pollStatus !== null || directives.pollCode !== null) &&
    directives.retryAfter !== null
  )
    res.setHeader("retry-after", directives.retryAfter);
  if (directives.pollStatus !== null) {
    sendJson(res, directives.pollStatus, dialect.errorBody(directives.pollStatus, message));
    return String(directives.pollStatus);
  }
  if (directives.pollCode !== null) {
    const { status, body } = dialect.refused(directives.pollCode, message);
    sendJson(res, status, body);
    return `code ${directives.pollCode}`;
  }
  const { poll } = directives;
  if (poll === null) return null;
  const reply = createReply(res, { slowHeadersMs: 0, slice: null });
  if (poll === "reset") reply.reset();
  else if (poll === "hang") await reply.hang();
  else writeNonsense(poll, res);
  return poll;
}

function writeNonsense(what: Exclude<PollMode, "reset" | "hang">, res: ServerResponse): void {
  if (what === "html") res.writeHead(200, { "content-type": "text/html" }).end(HTML);
  else
    res
      .writeHead(200, { "content-type": "application/json" })
      .end(what === "garbage" ? GARBAGE : "");
}
