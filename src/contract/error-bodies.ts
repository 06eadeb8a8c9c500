/** The error bodies of the three families of endpoints (contract §4). */
import Type from "typebox";
import { nullableString } from "./nullable.ts";

export const OpenAiErrorBody = Type.Object(
  {
    error: Type.Object({
      message: Type.String({
        description: "What went wrong and what to do next.",
        examples: ["'messages[0].content' must be a string, an array or null."],
      }),
      type: Type.String({ examples: ["invalid_request_error"] }),
      param: nullableString({
        description: "The field at fault.",
        examples: ["messages[0].content"],
      }),
      code: nullableString({
        description: "The stable name of this error.",
        examples: ["invalid_request"],
      }),
    }),
  },
  {
    description:
      "An error of every endpoint that is not of the Messages, tasks or storage family: chat completions, balance, key, receipts.",
  },
);

export const AnthropicErrorBody = Type.Object(
  {
    type: Type.Literal("error"),
    error: Type.Object({
      type: Type.String({ examples: ["billing_error"] }),
      message: Type.String({ examples: ["The balance cannot cover this request."] }),
      details: Type.Optional(
        Type.Object(
          {},
          {
            description:
              "What clients act on by themselves: `error_code: thread_unsupported_request` where a request has `thread`.",
          },
        ),
      ),
    }),
    request_id: Type.String({ examples: ["req_0199a1b2c3d47e5f8a9b0c1d2e3f4a5b"] }),
  },
  {
    description:
      "An error of the Messages endpoints, and of the models list where `anthropic-version` is sent.",
  },
);

export const TaskErrorBody = Type.Object(
  {
    code: Type.Integer({ description: "The HTTP status.", examples: [404] }),
    msg: Type.String({ examples: ["There is nothing here."] }),
    data: Type.Null(),
    errors: Type.Array(
      Type.Object({
        param: Type.String({ description: "The field at fault.", examples: ["duration"] }),
        code: Type.String({ examples: ["maximum"] }),
        message: Type.String({ examples: ["'duration' must be at most 15."] }),
      }),
      { description: "Every mistake of the body." },
    ),
    requestId: Type.String({ examples: ["req_0199a1b2c3d47e5f8a9b0c1d2e3f4a5b"] }),
  },
  { description: "An error of the tasks and storage endpoints." },
);
