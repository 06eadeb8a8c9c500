/** Which rows came while the list was live: each is told apart for a moment. */
import { useEffect, useState } from "react";
import { newcomers, NO_ROWS } from "./newcomers.ts";

const FRESH_MS = 1_500;

/** @param ids of one list with the same filters. */
export function useFreshRows(live: boolean, ids: readonly string[]): ReadonlySet<string> {
  const [known, setKnown] = useState<ReadonlySet<string> | null>(null);
  const all = ids.join();
  if (!live && known !== null) setKnown(null);
  useEffect(() => {
    if (!live) return undefined;
    const timer = setTimeout(() => setKnown(new Set(all.split(","))), FRESH_MS);
    return () => clearTimeout(timer);
  }, [live, all]);
  return live ? newcomers(known, ids) : NO_ROWS;
}
