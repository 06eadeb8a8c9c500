/**
 * One cell of the matrix: a client, the protocol of the upstream, and the way in which the answer
 * gets to the client.
 */
import type { Protocol } from "../support/protocol-pairs.ts";
import type { ChatClient } from "./chat-client.ts";
import type { MatrixScene } from "./matrix-scene.ts";

/**
 * How the answer gets to the client. With 45 roubles the worst case of 12 is too much to hold at
 * once, so the answer is assembled (contract §6).
 */
export const WAYS = {
  streamed: { roubles: "100", streamed: true, upstreamStreams: true },
  "passed through whole": { roubles: "100", streamed: false, upstreamStreams: false },
  assembled: { roubles: "45", streamed: false, upstreamStreams: true },
} as const;
export type Way = keyof typeof WAYS;
export const WAY_NAMES: readonly Way[] = ["streamed", "passed through whole", "assembled"];

export interface Cell {
  readonly scene: MatrixScene;
  readonly client: ChatClient;
  readonly upstream: Protocol;
  readonly way: Way;
  /**
   * In the text of every question of this cell. Without letters: the sandbox answers in the
   * language of the text.
   */
  readonly label: string;
}
