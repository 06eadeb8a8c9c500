/** Texts of the page of files, in English. */
import { quotedName } from "../../../../src/contract/quoted-name.ts";
import type { FilesTexts } from "./files.ru.ts";

export const filesEn: FilesTexts = {
  title: "Files",
  lead: "Everything you uploaded and everything that tasks made. A file goes by itself when its time is over.",
  caption: "Files of the account",
  used: "Used",
  of: (used, limit) => `${used} of ${limit}`,
  usage: "Space used",
  uploadHint: (limit) => `Images, videos, sound: up to ${limit} each. Several at once are fine.`,
  uploaded: "The file is uploaded",
  emptyTitle: "No files yet",
  emptyText:
    "Upload one here, or order a task in the playground: its results will be in this list.",
  openPlayground: "Open the playground",
  file: "File",
  type: "Type",
  size: "Size",
  origin: "Where from",
  stored: "Stored",
  expires: "Expires",
  origins: { upload: "upload", result: "result of a task", copy: "copy for a task" },
  pixels: (width, height) => `${width} × ${height}`,
  address: (name) => `address of ${name}`,
  actions: "Actions",
  downloadOf: (name) => `Download ${name}`,
  removeOf: (name) => `Delete ${name}`,
  removeTitle: (name) => `Delete the file ${quotedName("en", name)}?`,
  removeText: "Its address stops working at once. The file cannot be brought back.",
  removeAction: "Delete the file",
  removed: "The file is deleted",
};
