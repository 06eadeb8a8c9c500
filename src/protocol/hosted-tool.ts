/** A tool of a request that only an upstream of the caller's own protocol can run, or explain to its model. */
import type { KnownTool } from "./raises/vendor-tools.ts";

export interface HostedTool {
  /** Its place among the tools of the request. */
  readonly index: number;
  /** In the catalogue. */
  readonly name: string;
  /** Whether its caller runs it, or its upstream for nothing, for a price, or for what is not known. */
  readonly kind: KnownTool["kind"];
  /** Members of it that make a call dearer than the tool's price, by their names in the catalogue. */
  readonly dearer: readonly string[];
  /** It names what is kept in the operator's own account at the vendor. */
  readonly foreign: boolean;
}
