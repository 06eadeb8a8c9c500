/** Files and batches in the OpenAI protocol (contract §13). */
import Type from "typebox";
import { BATCH_STATES } from "./enums/batch-state.ts";
import { nullableInteger, nullableString } from "./nullable.ts";

const FILE_ID = "file-0199a1b2c3d47e5f8a9b0c1d2e3f4a5b";
const BATCH_ID = "batch_0199a1b2c3d47e5f8a9b0c1d2e3f4a5b";

const seconds = (description: string) =>
  Type.Integer({ description: `${description} Seconds since 1970.`, examples: [1_796_000_000] });
const secondsOrNull = (description: string) =>
  nullableInteger({}, { description: `${description} Seconds since 1970; null: not yet.` });

/** As the vendor has it: an hour to thirty days. */
export const EXPIRES_AFTER = { leastSeconds: 3_600, mostSeconds: 2_592_000 } as const;

const expiresAfter = (what: string) =>
  Type.Optional(
    Type.Object(
      {
        anchor: Type.Literal("created_at"),
        seconds: Type.Integer({
          minimum: EXPIRES_AFTER.leastSeconds,
          maximum: EXPIRES_AFTER.mostSeconds,
          examples: [86_400],
        }),
      },
      { additionalProperties: false, description: what },
    ),
  );

/** The body of an upload: multipart/form-data, which the route reads by itself. */
export const FileUploadBody = Type.Object(
  {
    purpose: Type.Literal("batch", { description: "What the file is for." }),
    file: Type.String({
      format: "binary",
      description: "The requests, one JSON object on each line.",
    }),
    expires_after: expiresAfter(
      "When the file goes, after it was stored; absent: as other files do. A file that a batch reads stays for that batch.",
    ),
  },
  { description: "A file of requests, as the official SDKs send it." },
);

export const FileObject = Type.Object(
  {
    id: Type.String({ examples: [FILE_ID] }),
    object: Type.Literal("file"),
    bytes: Type.Integer({ minimum: 1, examples: [48_213] }),
    created_at: seconds("When it was stored."),
    expires_at: seconds("From then on it is gone."),
    filename: Type.String({ examples: ["requests.jsonl"] }),
    purpose: Type.Enum(["batch", "batch_output"], {
      description: "`batch_output`: the results, or the errors, of a batch.",
    }),
    status: Type.Literal("processed"),
    status_details: Type.Null(),
  },
  { description: "A private file: read by its account's keys, without a URL of its own." },
);

const page = <Item extends typeof FileObject | typeof Batch>(item: Item, description: string) =>
  Type.Object(
    {
      object: Type.Literal("list"),
      data: Type.Array(item),
      first_id: nullableString({ description: "Of the first one of this page." }),
      last_id: nullableString({ description: "Pass it as `after` for the next page." }),
      has_more: Type.Boolean(),
    },
    { description },
  );

export const FileDeleted = Type.Object(
  {
    id: Type.String({ examples: [FILE_ID] }),
    object: Type.Literal("file"),
    deleted: Type.Literal(true),
  },
  { description: "The file is gone." },
);

export const BatchRequestBody = Type.Object(
  {
    input_file_id: Type.String({
      description: "Of a file with the purpose `batch`.",
      examples: [FILE_ID],
    }),
    endpoint: Type.String({
      description: "Where every line would be sent one by one.",
      examples: ["/v1/chat/completions"],
    }),
    completion_window: Type.Literal("24h"),
    metadata: Type.Optional(
      Type.Unsafe<Record<string, string> | null>({
        type: ["object", "null"],
        maxProperties: 16,
        additionalProperties: { type: "string", maxLength: 512 },
        description: "Up to 16 texts, which come back as they are.",
      }),
    ),
    output_expires_after: expiresAfter(
      "When the result files go, each after it was made; absent: as other files do.",
    ),
  },
  {
    additionalProperties: false,
    description: "A batch of a file that was uploaded before.",
  },
);

const BatchMistake = Type.Object({
  code: Type.String({ examples: ["invalid_json_line"] }),
  message: Type.String({ examples: ["This line cannot be read. The body is not valid JSON."] }),
  param: nullableString({ description: "The field at fault." }),
  line: nullableInteger({}, { description: "From 1; null: the file as a whole." }),
});

export const Batch = Type.Object(
  {
    id: Type.String({ examples: [BATCH_ID] }),
    object: Type.Literal("batch"),
    endpoint: Type.String({ examples: ["/v1/chat/completions"] }),
    errors: Type.Unsafe<unknown>({
      anyOf: [
        Type.Object({ object: Type.Literal("list"), data: Type.Array(BatchMistake) }),
        Type.Null(),
      ],
      description: "What is wrong with the file, where the batch `failed`.",
    }),
    input_file_id: Type.String({ examples: [FILE_ID] }),
    completion_window: Type.Literal("24h"),
    status: Type.Enum([...BATCH_STATES]),
    output_file_id: nullableString({ description: "The answers; null: there are none." }),
    error_file_id: nullableString({
      description: "Lines that were refused, failed, or never ran; null: there are none.",
    }),
    created_at: seconds("When it was taken."),
    in_progress_at: secondsOrNull("When it was admitted: its money was held."),
    expires_at: seconds("What has not run by then does not run."),
    finalizing_at: secondsOrNull("When all lines were over."),
    completed_at: secondsOrNull("When it was completed."),
    failed_at: secondsOrNull("When it failed."),
    expired_at: secondsOrNull("When it ended as expired."),
    cancelling_at: secondsOrNull("When it was asked to stop."),
    cancelled_at: secondsOrNull("When it ended as cancelled."),
    request_counts: Type.Object({
      total: Type.Integer({ minimum: 0 }),
      completed: Type.Integer({ minimum: 0 }),
      failed: Type.Integer({ minimum: 0, description: "Answered with an error." }),
    }),
    metadata: Type.Unsafe<Record<string, string> | null>({
      type: ["object", "null"],
      additionalProperties: { type: "string" },
    }),
  },
  { description: "A batch: many requests in one file, worked off within a day." },
);

export const FileList = page(FileObject, "A page of files, newest first.");
export const BatchList = page(Batch, "A page of batches, newest first.");
