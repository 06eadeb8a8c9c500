/** `POST /v1/storage/upload`, the list of files and their deletion (contract §8). */
import Type from "typebox";
import { FILE_ORIGINS } from "./enums/file-origin.ts";
import { envelope } from "./envelope.ts";
import { moment } from "./money.ts";
import { nullableString } from "./nullable.ts";

const NAME = "3k9x0q7w2m5n8b1v4c6z0a9s8d7f6g5h.png";
const URL = `https://files.example.com/static/${NAME}`;

const FACTS = {
  url: Type.String({
    description: "Whoever has it may read the file, nobody can guess it. Pass it to tasks.",
    examples: [URL],
  }),
  fileName: Type.String({
    description: "As it was sent, without folders.",
    examples: ["photo.png"],
  }),
  contentType: Type.String({
    description:
      "Read from the bytes; what is no known image, video or audio type is `application/octet-stream`.",
    examples: ["image/png"],
  }),
  bytes: Type.Integer({ minimum: 1, examples: [482_113] }),
  sha256: Type.String({
    description: "Of the bytes, hexadecimal.",
    examples: ["9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"],
  }),
  expiresAt: moment("From then on the URL answers 410 and the file is removed."),
  width: Type.Optional(
    Type.Integer({ description: "Of images and videos, pixels.", examples: [1280] }),
  ),
  height: Type.Optional(Type.Integer({ examples: [720] })),
  durationSeconds: Type.Optional(
    Type.Number({ description: "Of videos and audio.", examples: [8.04] }),
  ),
};

/** The body of an upload: multipart/form-data, which the route reads by itself. */
export const UploadRequestBody = Type.Object(
  {
    file: Type.String({
      format: "binary",
      description:
        "The file, as the only part of the body. Its name is kept to be shown, its type is read from its bytes.",
    }),
  },
  { description: "A file, as a browser's form or `curl -F file=@photo.png` sends it." },
);

export const StoredFile = envelope(Type.Object(FACTS), "A file was stored.");

export const StoredFileList = envelope(
  Type.Object({
    files: Type.Array(
      Type.Object({
        name: Type.String({ description: "The last part of the URL.", examples: [NAME] }),
        ...FACTS,
        storedAt: moment("When it was stored."),
        origin: Type.Enum([...FILE_ORIGINS], {
          description:
            "`fetched`: copied from an address that a task named. `result`: made by a task.",
        }),
      }),
      { description: "Newest first." },
    ),
    nextCursor: nullableString({
      description: "Pass it as `cursor` for the next page; null on the last one.",
    }),
  }),
  "A page of the account's files.",
);

export const DeletedFile = envelope(
  Type.Object({ name: Type.String({ examples: [NAME] }), deleted: Type.Literal(true) }),
  "The file is served to nobody any more.",
);
