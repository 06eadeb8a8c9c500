/** Broken invariants: the request that meets one dies, the process lives. */

export class InvariantError extends Error {
  override name = "InvariantError";
}

export function assert(condition: unknown, message: string): asserts condition {
  if (!condition) throw new InvariantError(message);
}

/** Marks a branch the compiler proved empty. */
export function unreachable(value: never): never {
  throw new InvariantError(`unreachable: ${JSON.stringify(value)}`);
}
