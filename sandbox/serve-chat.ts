/** Serves one chat request in a dialect: read, check, obey directives, answer. */
import { createHash, randomBytes } from "node:crypto";
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from "node:http";
import { composeAnswer } from "./compose-answer.ts";
import { lastUserText } from "./conversation.ts";
import type { Dialect } from "./dialect.ts";
import type { JsonObject } from "./is-object.ts";
import { parseDirectives } from "./parse-directives.ts";
import { readBody } from "./read-body.ts";
import { unofferedTool } from "./read-script.ts";
import { createReply } from "./reply.ts";
import { reportUsage, type Figures } from "./report-usage.ts";
import { sendJson } from "./send-json.ts";
import { writeAnswer, writeFault, writeStream, type Outcome } from "./write-answer.ts";

export interface ObservedRequest {
  /** With its query. */
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: JsonObject;
  /** How its answer ended, as soon as it has: `client-gone` where the socket was closed before. */
  readonly ended: Promise<Outcome["end"]>;
  /** What was said, by the true count, whatever its answer reports; null: nothing was answered. */
  readonly figures: Promise<Figures | null>;
}

export interface ServeChatOptions {
  /** Pause between the words of a stream. */
  readonly wordDelayMs: number;
  observe(request: ObservedRequest): void;
}

/** Returns what happened in a few words for the log. */
export async function serveChat(
  dialect: Dialect,
  req: IncomingMessage,
  res: ServerResponse,
  options: ServeChatOptions,
): Promise<string> {
  const refuse = (status: number, message: string, param: string | null = null): string => {
    sendJson(res, status, dialect.error({ status, message, param }));
    return `${status} ${message}`;
  };
  const body = await readBody(req);
  if (body.kind === "gone") return "client-gone before its body was complete";
  if (body.kind === "too-large") return refuse(413, "The request body is too large.");
  if (body.kind === "not-json")
    return refuse(400, "We could not parse the JSON body of your request.");
  const read = dialect.read(body.value, req.headers);
  if (!read.ok) return refuse(read.mistake.status, read.mistake.message, read.mistake.param);
  const { conversation } = read;
  const header = req.headers["x-sandbox"];
  const parsed = parseDirectives(
    typeof header === "string" ? header : "",
    lastUserText(conversation.turns),
    conversation.model,
  );
  if (!parsed.ok) return refuse(400, parsed.message);
  const { directives } = parsed;
  const unoffered = unofferedTool(conversation, directives.script);
  if (unoffered !== null)
    return refuse(400, `sandbox: the script calls "${unoffered}", which was not offered as a tool`);
  const ended = Promise.withResolvers<Outcome["end"]>();
  const figures = Promise.withResolvers<Figures | null>();
  options.observe({
    path: req.url ?? "",
    headers: req.headers,
    body: body.value,
    ended: ended.promise,
    figures: figures.promise,
  });

  const reply = createReply(res, directives);
  await reply.pause(directives.delayMs);
  const writing = {
    dialect,
    reply,
    directives,
    requestId: `req_sandbox_${randomBytes(8).toString("hex")}`,
  };
  let outcome = await writeFault(writing);
  if (outcome === null) {
    const digest = createHash("sha256").update(body.bytes).digest("hex");
    const answers = Array.from({ length: conversation.choices }, (_, choice) =>
      composeAnswer(conversation, directives, digest, choice),
    );
    const served = {
      id: randomBytes(12).toString("hex"),
      created: Math.floor(Date.now() / 1000),
      body: body.value,
      conversation,
      answers,
      figures: reportUsage(conversation, answers, directives),
      directives,
    };
    figures.resolve(
      directives.usage === null
        ? served.figures
        : reportUsage(conversation, answers, { ...directives, usage: null }),
    );
    outcome = conversation.stream
      ? await writeStream(
          writing,
          dialect.events(served),
          directives.chunkDelayMs ?? options.wordDelayMs,
        )
      : await writeAnswer(writing, dialect.whole(served));
  }
  figures.resolve(null);
  ended.resolve(outcome.end);
  return `${conversation.model} ${outcome.status} ${outcome.events} ${conversation.stream ? "events" : "answer"} ${outcome.end}`;
}
