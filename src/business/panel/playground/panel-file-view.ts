/** A stored file as the panel shows it. */
import type { FileOrigin } from "../../../contract/enums/file-origin.ts";
import type { PanelFile, PanelListedFile } from "../../../contract/panel/panel-file.ts";
import type { ListedFile, UploadedFile } from "../../../serving/files/uploaded-file.ts";
import { filePreview } from "./file-preview.ts";

const ORIGINS: Readonly<Record<FileOrigin, PanelListedFile["origin"]>> = {
  upload: "upload",
  fetched: "copy",
  result: "result",
};

export function panelFile(file: UploadedFile): PanelFile {
  const {
    url,
    fileName,
    contentType,
    bytes,
    expiresAt,
    width = null,
    height = null,
    durationSeconds = null,
  } = file;
  // The last part of its URL names it.
  const name = url.slice(url.lastIndexOf("/") + 1);
  return {
    name,
    url,
    fileName,
    contentType,
    bytes,
    width,
    height,
    durationSeconds,
    expiresAt,
    preview: filePreview(contentType),
  };
}

export function panelListedFile(file: ListedFile): PanelListedFile {
  return { ...panelFile(file), storedAt: file.storedAt, origin: ORIGINS[file.origin] };
}
