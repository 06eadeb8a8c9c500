/**
 * What ends the work of a chat run from outside, in whatever phase it comes: its caller leaves, the
 * process ends, or it has failed.
 */
import { answerOf, type ChatRun } from "./chat-run.ts";
import { ADMITTED } from "./run-phase.ts";

/** What that does to the work in progress is the upstream's policy. */
export function callerLeft(run: ChatRun): void {
  const { phase } = run;
  if (phase.kind === "answering") {
    if (phase.relay !== null) phase.relay.clientGone(phase.onDisconnect);
  } else if (phase.kind === "calling" && phase.onDisconnect === "abort") phase.exchange.abort();
}

/** The deadline of a drain has come. */
export function cutOff(run: ChatRun): void {
  const { phase } = run;
  run.cut = true;
  if (phase.kind === "answering") phase.relay?.shutDown();
  else if (phase.kind === "calling") phase.exchange.abort();
}

/** There will be no answer: what is under way at an upstream is of no use any more. */
export function giveUp(run: ChatRun): void {
  const { phase } = run;
  if (phase.kind === "calling") {
    run.phase = ADMITTED;
    phase.exchange.abort();
    phase.place.release();
    return;
  }
  const answer = answerOf(run);
  if (answer !== null && answer.relay !== null) answer.exchange.abort();
}
