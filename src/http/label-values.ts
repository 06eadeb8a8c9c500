/** Keeps what belongs to the values of a label, and bounds how many there are. */

/** Labels are memory for ever: what comes after this many different values is counted together. */
const LABEL_VALUES_LIMIT = 200;
const OTHER = "other";

/**
 * What belongs to a label's value, made when it is first met; the calling code bounds the values.
 */
export function createIndex<Value, Key = string>(make: (key: Key) => Value): (key: Key) => Value {
  const known = new Map<Key, Value>();
  return (key) => {
    const found = known.get(key);
    if (found !== undefined) return found;
    const value = make(key);
    known.set(key, value);
    return value;
  };
}

/** A series that is shown only once there is something in it. */
export function createOnce<Value>(make: () => Value): () => Value {
  let made: Value | null = null;
  return () => (made ??= make());
}

export function createBound(): (value: string) => string {
  const known = new Set<string>();
  return (value) => {
    if (known.has(value)) return value;
    if (known.size >= LABEL_VALUES_LIMIT) return OTHER;
    known.add(value);
    return value;
  };
}
