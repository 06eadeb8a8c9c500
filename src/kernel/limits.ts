/** Sizes, counts and deadlines that hold everywhere. */

export const CHAT_BODY_LIMIT_BYTES = 32 * 1024 * 1024;
export const JSON_BODY_LIMIT_BYTES = 1024 * 1024;
/**
 * Deeper JSON is refused: no real request nests this far, and recursion over it would exhaust the
 * stack.
 */
export const JSON_DEPTH_LIMIT = 200;
/** One SSE event of an upstream: images and tool arguments fit, a line without an end does not. */
export const SSE_EVENT_LIMIT_BYTES = 16 * 1024 * 1024;
/** A whole non-streamed upstream answer. */
export const UPSTREAM_BODY_LIMIT_BYTES = 64 * 1024 * 1024;
export const LIST_PAGE_DEFAULT = 50;
export const LIST_PAGE_MAX = 1000;
/** A sender whose body is not complete by then is cut off. */
export const BODY_DEADLINE_MS = 60_000;
/**
 * So long a whole answer is waited for that is no chat: several clients give up whose answer has not
 * begun within 300 seconds.
 */
export const ANSWER_WAIT_MS = 280_000;
/** Silence after which a live stream gets a keep-alive. */
export const KEEP_ALIVE_MS = 15_000;
/**
 * A process that has not been heard of for this long is dead to its holds (contract §6: settled
 * within a minute).
 */
export const OWNER_LEASE_MS = 30_000;
/**
 * Values in one JSON body, give or take: a body of empty objects within the size limit would
 * otherwise take gigabytes once parsed.
 */
export const JSON_VALUE_LIMIT = 1_000_000;
/** What stands before the file in an upload's body: boundary and headers of its part. */
export const UPLOAD_HEAD_LIMIT_BYTES = 16 * 1024;
/** A sender of an upload that is silent for this long is cut off. */
export const UPLOAD_IDLE_MS = 30_000;
/** What every upload may take, whatever its size. */
export const UPLOAD_GRACE_MS = 60_000;
/**
 * After that, on average: half a megabit, with which 200 MB take 54 minutes; a trickle does not
 * hold a place for long.
 */
export const UPLOAD_MIN_BYTES_PER_SECOND = 64 * 1024;
/** A reader of a file that takes nothing for this long is cut off. */
export const DOWNLOAD_IDLE_MS = 60_000;
/** Upstreams of the Responses protocol take no smaller limit of an answer, in tokens. */
export const LEAST_OUTPUT_LIMIT = 16;
