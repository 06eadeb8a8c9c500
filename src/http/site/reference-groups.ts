/** The pages of the API reference, and which endpoints are on which. */

export const REFERENCE_GROUPS = [
  "chat-completions",
  "messages",
  "responses",
  "embeddings",
  "audio",
  "images",
  "tasks",
  "batches",
  "message-batches",
  "storage",
  "models",
  "account",
  "service",
] as const;
export type ReferenceGroup = (typeof REFERENCE_GROUPS)[number];

/** The longest that a path begins with decides. */
const ROOTS: readonly (readonly [root: string, group: ReferenceGroup])[] = [
  ["/v1/messages/batches", "message-batches"],
  ["/v1/chat/completions", "chat-completions"],
  ["/v1/messages", "messages"],
  ["/v1/responses", "responses"],
  ["/v1/embeddings", "embeddings"],
  ["/v1/rerank", "embeddings"],
  ["/v1/moderations", "embeddings"],
  ["/v1/completions", "embeddings"],
  ["/v1/audio", "audio"],
  ["/v1/images", "images"],
  ["/v1/tasks", "tasks"],
  ["/v1/files", "batches"],
  ["/v1/batches", "batches"],
  ["/v1/storage", "storage"],
  ["/v1/models", "models"],
  ["/v1/balance", "account"],
  ["/v1/key", "account"],
  ["/v1/requests", "account"],
];

/** @param tags of the operation: where stored files are served is the operator's choice. */
export function groupOf(path: string, tags: readonly string[]): ReferenceGroup {
  // A quote stands with what it is for.
  const asked = path.replace(/^\/v1\/quote\//, "/v1/");
  const found = ROOTS.find(([root]) => asked === root || asked.startsWith(`${root}/`));
  if (found !== undefined) return found[1];
  return tags.includes("Storage") ? "storage" : "service";
}
