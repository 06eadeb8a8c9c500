/**
 * A value that has not changed for a moment: what is typed is asked about when the typing rests.
 */
import { useEffect, useState } from "react";

const REST_MS = 500;

export function useDebounced<Value>(value: Value, restMs = REST_MS): Value {
  const [rested, setRested] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setRested(value), restMs);
    return () => clearTimeout(timer);
  }, [value, restMs]);
  return rested;
}
