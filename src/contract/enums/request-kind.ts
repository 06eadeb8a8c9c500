/** What a request asks for and a model serves: an answer at once, or a task. */
import { CALL_TYPES, type CallType } from "./call-endpoint.ts";

export type RequestKind = "chat" | "task" | CallType;
export const REQUEST_KINDS: readonly RequestKind[] = ["chat", "task", ...CALL_TYPES];
