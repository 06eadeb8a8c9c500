/**
 * For an answer that its reader does not take: the connection is cut, or it would hold what stands
 * behind the answer for ever.
 */
import type { ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { DOWNLOAD_IDLE_MS } from "../kernel/limits.ts";

/**
 * So often one looks before the limit is reached: a reader is cut at the latest this part of the
 * limit too late.
 */
const LOOKS = 12;

/**
 * Cuts the connection once nothing of what it still has to send has left for `limitMs`; however
 * slow, a reader that takes something is waited for. To be called while there is something to send;
 * returns what ends the watch.
 */
export function cutStalledReader(
  response: ServerResponse,
  limitMs: number = DOWNLOAD_IDLE_MS,
): () => void {
  let before = unsentBytes(response);
  let quietLooks = 0;
  const timer = setInterval(() => {
    const now = unsentBytes(response);
    quietLooks = now === null || before === null || now < before ? 0 : quietLooks + 1;
    before = now;
    if (quietLooks === LOOKS) response.destroy();
  }, limitMs / LOOKS).unref();
  const stop = (): void => clearInterval(timer);
  response.once("close", stop);
  return () => {
    stop();
    response.off("close", stop);
  };
}

/**
 * Null while an answer before it on its connection still runs: then it is that one's reader who is
 * watched.
 */
function unsentBytes(response: ServerResponse): number | null {
  const { socket } = response;
  return socket === null ? null : response.writableLength + bytesInSystemCall(socket);
}

/**
 * What the runtime has of the write under way. Only by this a large piece, which is one write, is
 * seen to leave bit by bit; Node's own timeout of sockets looks at it too, but takes the first part
 * of a write for a part that has just left, and so waits twice as long.
 */
function bytesInSystemCall(socket: Socket): number {
  const { _handle: handle } = socket as Socket & {
    readonly _handle?: { readonly writeQueueSize?: number } | null;
  };
  return handle?.writeQueueSize ?? 0;
}
