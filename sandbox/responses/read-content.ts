/** Reads the content of a message, or the output of a tool, of the Responses API. */
import type { Part } from "../conversation.ts";
import { isObject, type JsonObject } from "../is-object.ts";

type ReadContent =
  | { readonly ok: true; readonly parts: Part[] }
  /** `at` is the place in the list, as a path goes on with it. */
  | { readonly ok: false; readonly at: string };

/** @param side what the assistant said is `output`, everything else `input`. */
export function readContent(content: unknown, side: "input" | "output"): ReadContent {
  if (typeof content === "string") return { ok: true, parts: [{ type: "text", text: content }] };
  if (!Array.isArray(content)) return { ok: false, at: "" };
  const parts: Part[] = [];
  for (const [at, part] of content.entries()) {
    const read = isObject(part)
      ? side === "input"
        ? readInputPart(part)
        : readOutputPart(part)
      : null;
    if (read === null) return { ok: false, at: `[${at}]` };
    parts.push(...read);
  }
  return { ok: true, parts };
}

function readInputPart(part: JsonObject): Part[] | null {
  switch (part.type) {
    case "input_text":
      return typeof part.text === "string" ? [{ type: "text", text: part.text }] : null;
    case "input_image":
      return (typeof part.image_url === "string" &&
        /^(https?:\/\/|data:image\/)/i.test(part.image_url)) ||
        typeof part.file_id === "string"
        ? [{ type: "image" }]
        : null;
    case "input_file":
      return [part.file_data, part.file_url, part.file_id].some((one) => typeof one === "string")
        ? []
        : null;
    default:
      return null;
  }
}

function readOutputPart(part: JsonObject): Part[] | null {
  if (part.type === "output_text" && typeof part.text === "string")
    return [{ type: "text", text: part.text }];
  return part.type === "refusal" && typeof part.refusal === "string"
    ? [{ type: "text", text: part.refusal }]
    : null;
}
