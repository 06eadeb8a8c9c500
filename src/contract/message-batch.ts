/** Message batches in the Messages protocol (contract §13). */
import Type from "typebox";
import { MessagesRequestBody } from "./messages-request.ts";
import { nullableString } from "./nullable.ts";

const BATCH_ID = "msgbatch_0199a1b2c3d47e5f8a9b0c1d2e3f4a5b";
const MOMENT = "RFC 3339; null: not yet.";

const count = (description: string) => Type.Integer({ minimum: 0, description });

export const MessageBatchRequestBody = Type.Object(
  {
    requests: Type.Array(
      Type.Object({
        custom_id: Type.String({
          description: "Yours, to know its result by; each once.",
          examples: ["question-17"],
        }),
        params: MessagesRequestBody,
      }),
      { description: "1 to 50,000 requests." },
    ),
  },
  { description: "Many messages at once, worked off within a day." },
);

export const MessageBatch = Type.Object(
  {
    id: Type.String({ examples: [BATCH_ID] }),
    type: Type.Literal("message_batch"),
    processing_status: Type.Enum(["in_progress", "canceling", "ended"]),
    request_counts: Type.Object(
      {
        processing: count("Not over yet: all of them until the batch has ended."),
        succeeded: count("Answered."),
        errored: count("Refused, or failed."),
        canceled: count("Never ran, because the batch was canceled."),
        expired: count("Never ran within the day."),
      },
      { description: "As the vendor has it: nothing but `processing` until the batch has ended." },
    ),
    created_at: Type.String({ format: "date-time" }),
    expires_at: Type.String({
      format: "date-time",
      description: "What has not run by then does not run.",
    }),
    ended_at: nullableString({ description: MOMENT }),
    cancel_initiated_at: nullableString({ description: MOMENT }),
    archived_at: nullableString({
      description: "When its results went, 29 days after it was made; null: they are there.",
    }),
    results_url: nullableString({
      description:
        "Where the results are read, with a key of the account; null until it has ended, and when they are gone.",
    }),
  },
  { description: "A batch of messages." },
);

export const MessageBatchList = Type.Object(
  {
    data: Type.Array(MessageBatch, { description: "Newest first." }),
    has_more: Type.Boolean(),
    first_id: nullableString({ description: "Pass it as `before_id` for the page before." }),
    last_id: nullableString({ description: "Pass it as `after_id` for the next page." }),
  },
  { description: "A page of message batches, newest first." },
);

export const MessageBatchDeleted = Type.Object(
  { id: Type.String({ examples: [BATCH_ID] }), type: Type.Literal("message_batch_deleted") },
  { description: "The batch and its results are gone." },
);
