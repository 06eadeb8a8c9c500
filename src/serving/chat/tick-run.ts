/**
 * What a running chat request needs a few times a second: a sign of life to its caller, its
 * progress saved, an end to what takes too long.
 */
import { KEEP_ALIVE_MS } from "../../kernel/limits.ts";
import type { ChatRun } from "./chat-run.ts";
import { coverCalls, saveProgress } from "./money-of-run.ts";
import type { Relay } from "./relay-stream.ts";

const SAVE_EVERY_MS = 3_000;
/**
 * A stream that says nothing for so long may be silent for long: what it said before is saved now.
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
  if (nowMs >= run.lateAtMs) run.letGo?.(null);
  const { relay } = run;
  if (relay === null) return;
  if (relay.progress.contentFrames !== run.savedFrames && isSaveDue(run, nowMs))
    saveNow(run, relay, nowMs);
  coverCalls(run, relay);
  if (run.goneAtMs !== null && nowMs - run.goneAtMs >= DRAIN_TO_USAGE_MS) relay.shutDown();
}

function keepAlive(run: ChatRun, nowMs: number): void {
  const { reply } = run.call;
  // What has failed gets its own status as soon as its hold is released, not a 200 that says
  // nothing.
  const awaited = run.request.stream && !reply.gone && !(run.failed && !reply.streamStarted);
  if (!awaited || nowMs - run.lastWriteMs < KEEP_ALIVE_MS) return;
  run.lastWriteMs = nowMs;
  reply.startStream();
  reply.write(run.call.dialect.keepAlive);
}

function saveNow(run: ChatRun, { progress }: Relay, nowMs: number): void {
  const first = run.savedFrames === 0;
  run.savedFrames = progress.contentFrames;
  run.savedAtMs = nowMs;
  saveProgress(run, first).catch(() => (run.savedFrames = NOTHING_SAVED));
}

/**
 * Whether words that are not saved yet have to be now: the first ones at once, then every few
 * seconds, and where the stream pauses. Of an answer that is put together its caller has got
 * nothing yet.
 */
function isSaveDue(run: ChatRun, nowMs: number): boolean {
  const sinceMs = nowMs - run.savedAtMs;
  if (sinceMs >= SAVE_EVERY_MS) return true;
  if (!run.request.stream) return false;
  return run.savedFrames === 0 || (sinceMs >= PAUSE_MS && nowMs - run.lastWriteMs >= PAUSE_MS);
}
