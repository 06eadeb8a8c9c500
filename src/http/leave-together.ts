/**
 * Whole answers that become ready together, by one page of the journal, leave one right behind the
 * other: each write may have to wake the process that reads it, and one that is awake from the write
 * before need not be woken.
 */
import type { ServerResponse } from "node:http";
import { writeWhole } from "./whole-answer.ts";

export interface Leaving {
  /** Its head is written, with the length of its body in it. */
  readonly response: ServerResponse;
  /** Called when all that the connection took of it has left. */
  left(): void;
}

/**
 * Ends the response with a short body, `text` in latin1, head and body in one write: the first ones
 * of a turn of the event loop when the code under way has come to its end, and what was promised by
 * it; those that come later in the same turn when it is over.
 */
export type LeaveTogether = (leaving: Leaving, text: string) => void;

export function createLeaveTogether(): LeaveTogether {
  let ready: Leaving[] = [];
  /** Of each of them. */
  let texts: string[] = [];
  /** Some have left in this turn. */
  let haveLeft = false;

  function turnOver(): void {
    haveLeft = false;
    if (ready.length > 0) leave();
  }

  function leave(): void {
    const leaving = ready;
    const bodies = texts;
    ready = [];
    texts = [];
    for (let i = 0; i < leaving.length; i++) {
      const one = leaving[i];
      if (one !== undefined) writeWhole(one.response, bodies[i] ?? "");
    }
    for (const one of leaving) end(one);
  }

  return (leaving, text) => {
    const { response } = leaving;
    if (response.socket === null) {
      // An answer before it on this connection still runs.
      response.end(text, "latin1");
      leaving.left();
      return;
    }
    texts.push(text);
    if (ready.push(leaving) > 1 || haveLeft) return;
    haveLeft = true;
    process.nextTick(leave);
    setImmediate(turnOver);
  };
}

function end(leaving: Leaving): void {
  leaving.response.end();
  leaving.left();
}
