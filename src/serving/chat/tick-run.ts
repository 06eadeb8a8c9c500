/**
 * What a running chat request needs a few times a second: a sign of life to its caller, its
 * progress saved, an end to what takes too long or is not paid for any more.
 */
import { KEEP_ALIVE_MS } from "../../kernel/limits.ts";
import { answerOf, type ChatRun } from "./chat-run.ts";
import { coverCalls, saveProgress } from "./hold-of-run.ts";
import type { StreamedAnswer } from "./run-phase.ts";

const SAVE_EVERY_MS = 1_000;
/** To count costs something: in between, the least that it may be is saved. */
const COUNT_EVERY_MS = 3_000;
/**
 * A stream that says nothing for so long may be silent for long: what it said before is counted now.
 */
const PAUSE_MS = 1_000;
/** No count of frames: the next turn tries again. */
const NOTHING_SAVED = -1;
/**
 * A stream whose caller went away is read to its usage for at most this long, where the upstream's
 * policy is to drain.
 */
const DRAIN_TO_USAGE_MS = 60_000;

/** Throws nothing; what fails is tried again in the next turn. */
export function tickRun(run: ChatRun, nowMs: number): void {
  keepAlive(run, nowMs);
  const { phase } = run;
  if (phase.kind === "settling" && phase.wait !== null && nowMs >= phase.wait.untilMs)
    phase.wait.letGo();
  const answer = answerOf(run);
  if (answer === null || answer.relay === null) return;
  if (run.deps.ledger.wasLost(run.call.requestId)) return answer.relay.unpaid("lost");
  if (isSaveDue(run, answer, nowMs)) saveNow(run, answer, nowMs);
  coverCalls(run, answer);
  if (run.goneAtMs !== null && nowMs - run.goneAtMs >= DRAIN_TO_USAGE_MS) answer.relay.shutDown();
}

function keepAlive(run: ChatRun, nowMs: number): void {
  const { reply } = run.call;
  const awaited = run.request.stream && !reply.gone && !(isFailing(run) && !reply.streamStarted);
  if (!awaited || nowMs - run.lastWriteMs < KEEP_ALIVE_MS) return;
  run.lastWriteMs = nowMs;
  reply.startStream();
  reply.write(run.call.dialect.keepAlive);
}

/**
 * What has failed gets its own status as soon as its hold is released, not a 200 that says nothing.
 */
function isFailing({ phase }: ChatRun): boolean {
  return phase.kind === "settling" && phase.wait?.faulty === true;
}

function saveNow(run: ChatRun, answer: StreamedAnswer, nowMs: number): void {
  const { saved, relay } = answer;
  const counts =
    saved.frames !== 0 && (nowMs - saved.countedMs >= COUNT_EVERY_MS || hasPaused(run, nowMs));
  if (counts) saved.countedMs = nowMs;
  saved.isCounted = counts;
  saved.frames = relay.progress.contentFrames;
  saved.atMs = nowMs;
  saveProgress(run, answer, counts ? "counted" : "at least").catch(
    () => (saved.frames = NOTHING_SAVED),
  );
}

/**
 * Whether there are words that are not saved yet and have to be now: the first ones at once, then
 * every second, and where the stream pauses those that were not counted. Of an answer that is put
 * together its caller has got nothing yet.
 */
function isSaveDue(run: ChatRun, { saved, relay }: StreamedAnswer, nowMs: number): boolean {
  const sinceMs = nowMs - saved.atMs;
  if (relay.progress.contentFrames === saved.frames)
    return saved.frames > 0 && !saved.isCounted && run.request.stream && hasPaused(run, nowMs);
  return sinceMs >= SAVE_EVERY_MS || (run.request.stream && saved.frames === 0);
}

function hasPaused({ lastWriteMs }: ChatRun, nowMs: number): boolean {
  return nowMs - lastWriteMs >= PAUSE_MS;
}
