/** The paths of calls that are no chat: read, obey directives, answer. */
import { randomBytes } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Endpoint } from "../endpoint.ts";
import { openaiDialect } from "../openai/dialect.ts";
import { parseDirectives } from "../parse-directives.ts";
import { readBody } from "../read-body.ts";
import { createReply } from "../reply.ts";
import { sendJson } from "../send-json.ts";
import type { ServeChatOptions } from "../serve-chat.ts";
import { writeAnswer, writeFault, writeStream, type Outcome } from "../write-answer.ts";
import type { Call } from "./call.ts";
import { completions } from "./completions.ts";
import { embeddings } from "./embeddings.ts";
import { moderations } from "./moderations.ts";
import { rerank } from "./rerank.ts";

/** A new kind is a file beside these. */
const CALLS: readonly Call[] = [embeddings, rerank, moderations, completions];

export function callEndpoints(options: ServeChatOptions): Endpoint[] {
  return CALLS.map((call) => ({
    method: "POST",
    path: call.path,
    deny: () =>
      openaiDialect.error({
        status: 401,
        message: "sandbox: no valid API key was sent",
        param: null,
      }),
    serve: (req, res) => serveCall(call, req, res, options),
  }));
}

/** Returns what happened in a few words for the log. */
async function serveCall(
  kind: Call,
  req: IncomingMessage,
  res: ServerResponse,
  options: ServeChatOptions,
): Promise<string> {
  const refuse = (status: number, message: string, param: string | null = null): string => {
    sendJson(res, status, openaiDialect.error({ status, message, param }));
    return `${status} ${message}`;
  };
  const body = await readBody(req);
  if (body.kind === "gone") return "client-gone before its body was complete";
  if (body.kind === "too-large") return refuse(413, "The request body is too large.");
  if (body.kind === "not-json")
    return refuse(400, "We could not parse the JSON body of your request.");
  const read = kind.read(body.value);
  if (!read.ok) return refuse(read.mistake.status, read.mistake.message, read.mistake.param);
  const { call } = read;
  const header = req.headers["x-sandbox"];
  const parsed = parseDirectives(typeof header === "string" ? header : "", call.text, call.model);
  if (!parsed.ok) return refuse(400, parsed.message);
  const { directives } = parsed;
  const ended = Promise.withResolvers<Outcome["end"]>();
  options.observe({
    path: req.url ?? "",
    headers: req.headers,
    body: body.value,
    ended: ended.promise,
    figures: Promise.resolve(null),
  });
  const reply = createReply(res, directives);
  await reply.pause(directives.delayMs);
  const writing = {
    dialect: openaiDialect,
    reply,
    directives,
    requestId: `req_sandbox_${randomBytes(8).toString("hex")}`,
  };
  let outcome = await writeFault(writing);
  if (outcome === null) {
    const { whole, events = [] } = call.answer(directives);
    outcome = call.stream
      ? await writeStream(writing, events, directives.chunkDelayMs ?? options.wordDelayMs)
      : await writeAnswer(writing, whole);
  }
  ended.resolve(outcome.end);
  return `${call.model} ${outcome.status} ${outcome.events} ${call.stream ? "events" : "answer"} ${outcome.end}`;
}
