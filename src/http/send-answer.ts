/** Sends what a route answers: JSON, bytes, a stream, live events, a refusal, or nothing. */
import type { FastifyReply } from "fastify";
import { announceAnswer } from "./announce-answer.ts";
import { renderFault } from "./error-family.ts";
import type { Exchange } from "./exchange.ts";
import { packJson } from "./pack-json.ts";
import type { Answer } from "./route.ts";
import { sendLive } from "./send-live.ts";
import { sendNothing, sendStream } from "./send-stream.ts";

export async function sendAnswer(
  exchange: Exchange,
  reply: FastifyReply,
  answer: Answer,
): Promise<FastifyReply> {
  const { content } = answer;
  if ("open" in content) {
    await sendStream(exchange, reply, answer, content);
    return reply;
  }
  if ("live" in content) {
    await sendLive(exchange, reply, answer, content);
    return reply;
  }
  if ("nothing" in content) {
    sendNothing(reply, answer);
    return reply;
  }
  if ("fault" in content) {
    exchange.fault = content.fault;
    const { family } = exchange;
    const { status, headers, body } = renderFault(family, content.fault, exchange.publicId);
    announceAnswer(() => ({ kind: "fault", family, body }));
    return reply
      .code(status)
      .headers({ ...headers, ...answer.headers })
      .send(body);
  }
  void reply.code(answer.status ?? 200).headers(answer.headers ?? {});
  if ("json" in content) {
    const { method, headers: sent } = reply.request;
    const asItIs = (answer.status ?? 200) !== 200 || answer.headers?.["etag"] !== undefined;
    const asked = {
      method,
      acceptEncoding: sent["accept-encoding"],
      vary: answer.headers?.["vary"],
      asItIs,
    };
    const { headers, body } = await packJson(JSON.stringify(content.json), asked);
    return reply
      .headers(headers)
      .header("content-type", "application/json; charset=utf-8")
      .send(body);
  }
  return reply.header("content-type", content.contentType).send(content.bytes);
}
