/** Routes of the playground: requests of a member that a key of the account pays for. */
import Type from "typebox";
import { ChatCompletion } from "../../chat-completion.ts";
import { ChatRequestBody } from "../../chat-request.ts";
import { Message } from "../../message.ts";
import { MessagesRequestBody } from "../../messages-request.ts";
import { Response } from "../../response.ts";
import { ResponsesRequestBody } from "../../responses-request.ts";
import { UploadRequestBody } from "../../stored-file.ts";
import { PanelFile } from "../panel-file.ts";
import { PlaygroundChatQuote, PlaygroundTaskOrdered, PlaygroundTaskQuote } from "../playground.ts";
import type { PanelRouteTable } from "./panel-route.ts";

/** Those of the model's form: `GET /models` has it. */
export const TaskParameters = Type.Record(Type.String(), Type.Unknown());

/** Of every request that a key pays for. */
export const PAYER = {
  "x-tollgate-key": {
    description: "The hash of the key that pays.",
    example: "ab".repeat(32),
    required: true,
  },
} as const;

/** Of every quote of a request. */
export const QUOTE = {
  summary: "What such a request would cost at most",
  headers: PAYER,
} as const;

export const PLAYGROUND_ROUTES = {
  "POST /playground/chat/completions": {
    summary: "A chat request, as `POST /v1/chat/completions`",
    headers: PAYER,
    rawBody: { schema: ChatRequestBody },
    answer: ChatCompletion,
    streamed: "text/event-stream",
  },
  "POST /playground/messages": {
    summary: "A chat request, as `POST /v1/messages`",
    headers: PAYER,
    rawBody: { schema: MessagesRequestBody },
    answer: Message,
    streamed: "text/event-stream",
  },
  "POST /playground/responses": {
    summary: "A chat request, as `POST /v1/responses`",
    headers: PAYER,
    rawBody: { schema: ResponsesRequestBody },
    answer: Response,
    streamed: "text/event-stream",
  },
  "POST /playground/quote/chat/completions": {
    ...QUOTE,
    rawBody: { schema: ChatRequestBody },
    answer: PlaygroundChatQuote,
  },
  "POST /playground/quote/responses": {
    ...QUOTE,
    rawBody: { schema: ResponsesRequestBody },
    answer: PlaygroundChatQuote,
  },
  "POST /playground/quote/messages": {
    ...QUOTE,
    rawBody: { schema: MessagesRequestBody },
    answer: PlaygroundChatQuote,
  },
  "POST /playground/tasks/{+model}": {
    summary: "Order a task",
    headers: {
      ...PAYER,
      "idempotency-key": {
        description: "The same one again names the same task.",
        example: "order-4711",
      },
    },
    rawBody: { schema: TaskParameters },
    answer: PlaygroundTaskOrdered,
    status: 202,
  },
  "POST /playground/quote/tasks/{+model}": {
    summary: "What such a task would cost",
    headers: PAYER,
    rawBody: { schema: TaskParameters },
    answer: PlaygroundTaskQuote,
  },
  "POST /playground/files": {
    summary: "Upload a file for tasks",
    rawBody: { schema: UploadRequestBody, type: "multipart/form-data" },
    answer: PanelFile,
    status: 201,
  },
} as const satisfies PanelRouteTable;
