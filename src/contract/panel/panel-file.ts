/** The account's files as the panel shows them. */
import Type from "typebox";
import { moment } from "../money.ts";
import { nullableInteger, nullableNumber, nullableString } from "../nullable.ts";

/** How a page can show it; `none`: it is only downloaded. */
export const FilePreview = Type.Enum(["image", "video", "audio", "none"]);
export type FilePreview = Type.Static<typeof FilePreview>;

/** Of `POST playground/files` too: multipart/form-data with one part, `file`. */
export const PanelFile = Type.Object({
  /** The last part of its URL. */
  name: Type.String(),
  url: Type.String(),
  /** As its sender called it. */
  fileName: Type.String(),
  contentType: Type.String(),
  bytes: Type.Integer(),
  width: nullableInteger({}, { description: "Pixels." }),
  height: nullableInteger({}, { description: "Pixels." }),
  durationSeconds: nullableNumber({}, { description: "Of videos and audio, as measured." }),
  expiresAt: moment("From then on it is gone."),
  preview: FilePreview,
});
export type PanelFile = Type.Static<typeof PanelFile>;

export const PanelListedFile = Type.Object({
  ...PanelFile.properties,
  storedAt: moment("When it was stored."),
  /** `copy`: taken from an address that a task's parameters named. */
  origin: Type.Enum(["upload", "result", "copy"]),
});
export type PanelListedFile = Type.Static<typeof PanelListedFile>;

/** `GET files?cursor&limit`, newest first. */
export const PanelFileList = Type.Object({
  data: Type.Array(PanelListedFile),
  nextCursor: nullableString({ description: "" }),
  /** What all files of the account take, and may take. */
  storage: Type.Object({
    usedBytes: Type.Integer(),
    limitBytes: Type.Integer(),
    uploadLimitBytes: Type.Integer(),
  }),
});
export type PanelFileList = Type.Static<typeof PanelFileList>;
