/** What a request asks for and a model serves: an answer at once, or a task. */

export const REQUEST_KINDS = ["chat", "task"] as const;
export type RequestKind = (typeof REQUEST_KINDS)[number];
