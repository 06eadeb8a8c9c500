/**
 * The end of an answer that is kept for its account: it says whether it was, so it leaves only when
 * that is known.
 */
import type { KeepAnswer } from "../responses/conversation.ts";
import { responseInBody, responseInEvents, type ShownResponse } from "../responses/show-kept.ts";
import type { AnswerEnd } from "./answer-end.ts";

export interface KeptEnd {
  /** Resolves when it is known. Never rejects. */
  keep(end: AnswerEnd): Promise<void>;
  /**
   * The same end, as its caller gets it: where it is asked for before that is known, not kept, which
   * does no harm where it is kept after all.
   */
  shown(end: AnswerEnd): AnswerEnd;
}

export function createKeptEnd(keepAnswer: KeepAnswer): KeptEnd {
  let found: ShownResponse | null = null;
  let kept = false;
  return {
    async keep(end) {
      found = responseIn(end);
      if (found !== null) kept = await keepAnswer(found.response);
    },
    shown(end) {
      if (found === null || found.response["store"] === kept) return end;
      const bytes = found.put({ ...found.response, store: kept });
      return end.streamed ? { ...end, last: bytes } : { ...end, body: bytes };
    },
  };
}

/** One that broke off is not kept: no request could go on from it. */
function responseIn(end: AnswerEnd): ShownResponse | null {
  if (!end.streamed) return responseInBody(end.body);
  return end.broken || end.last === null ? null : responseInEvents(end.last);
}
