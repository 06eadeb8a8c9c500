/** Every kind of call whose requests are JSON. A new one is a line here. */
import type { JsonCallProtocol } from "./call-protocol.ts";
import { completions } from "./completions.ts";
import { embeddings } from "./embeddings.ts";
import { moderations } from "./moderations.ts";
import { rerank } from "./rerank.ts";
import { speech } from "./speech.ts";

export const JSON_CALLS: readonly JsonCallProtocol[] = [
  embeddings,
  rerank,
  moderations,
  completions,
  speech,
];
