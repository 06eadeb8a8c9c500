/** The endings of the books by the request that they are of. */
import { parseRequestId } from "../../src/kernel/ids.ts";
import type { Books, BooksEnding } from "./books-view.ts";

export interface EndingIndex {
  /** By the reference, so that a second ending under another id is found, too. */
  ofRequest(requestId: string): readonly BooksEnding[];
  /** All that was charged for it. */
  chargeOf(requestId: string): bigint;
  ofTask(taskId: string): readonly BooksEnding[];
}

export function indexEndings({ endings }: Books): EndingIndex {
  const byThing = new Map<string, BooksEnding[]>();
  for (const ending of endings) {
    const thing = thingOf(ending.reference);
    byThing.set(thing, [...(byThing.get(thing) ?? []), ending]);
  }
  const ofRequest = (id: string): readonly BooksEnding[] => byThing.get(`request:${id}`) ?? [];
  return {
    ofRequest,
    chargeOf: (id) => ofRequest(id).reduce((sum, { amountNano }) => sum + amountNano, 0n),
    ofTask: (id) => byThing.get(`task:${id}`) ?? [],
  };
}

function thingOf(reference: string): string {
  const [kind, name] = reference.split(":");
  return `${kind}:${parseRequestId(name ?? "") ?? name}`;
}
