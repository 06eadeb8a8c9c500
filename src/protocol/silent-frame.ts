/** What every frame has in common that says nothing of the answer: comments, ends, errors. */
import type { Frame } from "./chat-dialect.ts";
import { ABSENT_USAGE } from "./usage-reading.ts";

export const SILENT_FRAME: Omit<Frame, "kind" | "bytes"> = {
  payload: null,
  text: "",
  hasContent: false,
  finished: false,
  usage: ABSENT_USAGE,
  error: null,
};
