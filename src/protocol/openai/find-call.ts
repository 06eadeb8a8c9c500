/**
 * Tells which tool call of an answer a delta belongs to, however an upstream numbers and names
 * them.
 */

/** What has been said of a call so far; empty where nothing has. */
export interface KnownCall {
  id: string;
  /** Its arguments have begun, so its name is whole. */
  readonly begun: boolean;
}

/** How a delta names its call, and where it stands in its list of `count`. */
export interface CallMention {
  readonly index: unknown;
  readonly id: string;
  readonly name: string;
  readonly position: number;
  readonly count: number;
}

export interface CallFinder<Call extends KnownCall> {
  /** In the order of their beginnings. */
  readonly calls: readonly Call[];
  /** Null for one too many. */
  find(mention: CallMention): Call | null;
}

/** The official SDK takes no more, and each is looked up among the others. */
const MOST_CALLS = 128;

export function createCallFinder<Call extends KnownCall>(make: () => Call): CallFinder<Call> {
  const calls: Call[] = [];
  const byIndex = new Map<number, Call>();

  function begin(): Call | null {
    if (calls.length === MOST_CALLS) return null;
    const call = make();
    calls.push(call);
    return call;
  }

  /**
   * Some upstreams give every call the index 0: there another id with another name is another call.
   */
  function byItsIndex(index: number, { id, name }: CallMention): Call | null {
    const known = byIndex.get(index);
    const another =
      known !== undefined && id !== "" && known.id !== "" && known.id !== id && name !== "";
    if (known !== undefined && !another) return known;
    const call = begin();
    if (call !== null) byIndex.set(index, call);
    return call;
  }

  /**
   * Without an index the id tells; without both the place in a longer list does, and a name after
   * arguments begins the next call.
   */
  function withoutIndex({ id, name, position, count }: CallMention): Call | null {
    if (id !== "") return calls.find((call) => call.id === id) ?? begin();
    if (count > 1) return calls[position] ?? begin();
    const last = calls.at(-1);
    return last === undefined || (name !== "" && last.begun) ? begin() : last;
  }

  return {
    calls,
    find: (mention) =>
      typeof mention.index === "number"
        ? byItsIndex(mention.index, mention)
        : withoutIndex(mention),
  };
}
