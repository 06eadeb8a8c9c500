/** A catalogue that is being edited. */

export interface Draft {
  readonly source: string;
  /** The version that its author had seen: only over this one is it applied. */
  readonly base: number;
}
