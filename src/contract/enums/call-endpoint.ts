/**
 * What is asked for and answered in one call, chat apart: the types of its models, and under which
 * endpoints each is served. A new kind of call is a line here.
 */

/** As receipts and lists of models name where a call came in, by the type of its model. */
export const CALL_ENDPOINTS_OF = {
  embedding: ["embeddings"],
  rerank: ["rerank"],
  image: ["images.generations", "images.edits"],
  speech: ["audio.speech"],
  transcription: ["audio.transcriptions", "audio.translations"],
  moderation: ["moderations"],
  completion: ["completions"],
} as const;

export type CallType = keyof typeof CALL_ENDPOINTS_OF;
export type CallEndpoint = (typeof CALL_ENDPOINTS_OF)[CallType][number];

export const CALL_TYPES = Object.keys(CALL_ENDPOINTS_OF) as readonly CallType[];

/** By endpoint. */
export const CALL_TYPE_OF = Object.fromEntries(
  CALL_TYPES.flatMap((type) =>
    CALL_ENDPOINTS_OF[type].map((endpoint) => [endpoint, type] as const),
  ),
) as Readonly<Record<CallEndpoint, CallType>>;

export const CALL_ENDPOINTS = Object.keys(CALL_TYPE_OF) as readonly CallEndpoint[];
