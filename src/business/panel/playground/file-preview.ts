/** How a page can show a file, by what its bytes are. */
import type { FilePreview } from "../../../contract/panel/panel-file.ts";

const PREVIEWS: readonly FilePreview[] = ["image", "video", "audio"];

export function filePreview(contentType: string): FilePreview {
  return PREVIEWS.find((kind) => contentType.startsWith(`${kind}/`)) ?? "none";
}
