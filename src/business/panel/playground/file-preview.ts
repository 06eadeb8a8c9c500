/** How a page can show a file, by what its bytes are. */
import { MEDIA_KINDS } from "../../../contract/enums/media-kind.ts";
import type { FilePreview } from "../../../contract/panel/panel-file.ts";

export function filePreview(contentType: string): FilePreview {
  return MEDIA_KINDS.find((kind) => contentType.startsWith(`${kind}/`)) ?? "none";
}
