/**
 * `POST /v1/messages/count_tokens`: the figure a message with this body would be billed as input.
 */
import type { IncomingMessage, ServerResponse } from "node:http";
import { countPrompt } from "../count-tokens.ts";
import { readBody } from "../read-body.ts";
import { sendJson } from "../send-json.ts";
import { errorBody } from "./error-body.ts";
import { readRequest } from "./read-request.ts";

export async function countMessages(req: IncomingMessage, res: ServerResponse): Promise<string> {
  const body = await readBody(req);
  if (body.kind === "gone") return "client-gone before its body was complete";
  const read = body.kind === "json" ? readRequest(body.value, req.headers, "count") : null;
  if (read === null || !read.ok) {
    const mistake = read?.mistake ?? {
      status: 400,
      message: "The request body is not valid JSON.",
      param: null,
    };
    sendJson(res, mistake.status, errorBody(mistake));
    return String(mistake.status);
  }
  sendJson(res, 200, { input_tokens: countPrompt(read.conversation) });
  return "200";
}
