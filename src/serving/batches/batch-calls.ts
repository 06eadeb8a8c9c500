/** The calls that a batch may have in its lines, chat apart. */
import type { BatchCallEndpoint } from "../../contract/enums/batch-endpoint.ts";
import type { JsonCallProtocol } from "../../protocol/calls/call-protocol.ts";
import { completions } from "../../protocol/calls/completions.ts";
import { embeddings } from "../../protocol/calls/embeddings.ts";
import { moderations } from "../../protocol/calls/moderations.ts";

export const BATCH_CALLS: Readonly<Record<BatchCallEndpoint, JsonCallProtocol>> = {
  embeddings,
  completions,
  moderations,
};
