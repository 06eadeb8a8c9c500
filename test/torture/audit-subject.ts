/** The three views that an audit joins. */
import type { Books } from "./books-view.ts";
import type { Trace } from "./trace.ts";
import type { Trouble } from "./troubles.ts";
import type { UpstreamCall } from "./upstream-count.ts";

export interface AuditSubject {
  readonly trace: Trace;
  readonly calls: ReadonlyMap<string, readonly UpstreamCall[]>;
  /** Pictures that the provider was asked for, by tag. */
  readonly submissions: ReadonlyMap<string, number>;
  readonly books: Books;
  /** What was wrong with the gateways meanwhile. */
  readonly troubles: readonly Trouble[];
}
