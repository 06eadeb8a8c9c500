/** Brings back the chat that the address names: chosen from the list, or come back to. */
import { useEffect, useRef } from "react";
import type { StoredTalk } from "./stored-talk.ts";

interface OpenedTalkWish {
  /** Empty: none. */
  readonly wanted: string;
  readonly inHand: string;
  /** Null: it is gone. */
  read(id: string): Promise<StoredTalk | null>;
  open(talk: StoredTalk): void;
}

export function useOpenedTalk(wish: OpenedTalkWish): void {
  const latest = useRef(wish);
  useEffect(() => {
    latest.current = wish;
  });
  const { wanted } = wish;
  // Only where the address changes: a chat that was just left stands there a moment longer.
  useEffect(() => {
    if (wanted === "" || wanted === latest.current.inHand) return undefined;
    let left = false;
    const bring = async (): Promise<void> => {
      const found = await latest.current.read(wanted);
      if (!left && found !== null) latest.current.open(found);
    };
    void bring();
    return () => {
      left = true;
    };
  }, [wanted]);
}
