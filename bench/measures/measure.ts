/** One part of the benchmark: which peers it needs, and how it comes to its figures. */
import type { PeerName } from "../peers/peer.ts";
import type { Stage } from "../stage.ts";

export interface Measure {
  /** What `--only` takes, and the heading of its table. */
  readonly name: string;
  /** One sentence below the heading. */
  readonly says: string;
  readonly peers: readonly PeerName[];
  /** In the short form: the peers it then needs; absent where it has no part in it. */
  readonly quickPeers?: readonly PeerName[];
  /** Its peers are started anew: what they did before would show in the figures. */
  readonly fresh?: true;
  run(stage: Stage): Promise<void>;
}
