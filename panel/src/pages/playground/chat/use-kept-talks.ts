/** The member's talks in this browser: the list of them, and the one in hand, kept as it goes on. */
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useCallback, useEffect, useMemo, useRef, useState } from "react";
import { useSession } from "../../../app/session.ts";
import { useDebounced } from "../../../ui/use-debounced.ts";
import type { Lane } from "./conversation.ts";
import type { StoredTalk, TalkHead } from "./stored-talk.ts";
import { openTalkShelf } from "./talk-shelf.ts";
import { createTalkStore } from "./talk-store.ts";
import type { Keeping } from "./talk-store.ts";

type TalkAtHand = Omit<StoredTalk, "form" | "owner">;

interface KeptTalks {
  readonly heads: readonly TalkHead[];
  /** What became of the one in hand. */
  readonly keeping: Keeping;
  /** At once: another one is about to be in hand. */
  keepNow(): Promise<void>;
  /** To be in hand from then on; null: it is gone. */
  read(id: string): Promise<StoredTalk | null>;
  /** What was read is kept already. */
  opened(lanes: readonly Lane[]): void;
  remove(id: string): void;
  removeAll(): void;
}

export function useKeptTalks(talk: TalkAtHand): KeptTalks {
  const owner = useOwner();
  const client = useQueryClient();
  const store = useMemo(
    () => createTalkStore({ shelf: openTalkShelf(), owner, now: Date.now }),
    [owner],
  );
  const queryKey = useMemo(() => ["kept-talks", owner], [owner]);
  const { data } = useQuery({ queryKey, queryFn: () => store.list(), staleTime: 0 });
  const [keeping, setKeeping] = useState<Keeping>("kept");
  const kept = useRef(talk.lanes);
  const latest = useRef(talk);
  useEffect(() => {
    latest.current = talk;
  }, [talk]);
  const keep = useCallback(
    async (one: TalkAtHand): Promise<void> => {
      if (one.lanes === kept.current) return;
      kept.current = one.lanes;
      const empty = one.lanes.every((lane) => lane.length === 0);
      setKeeping(empty ? "kept" : await store.keep(one));
      await client.invalidateQueries({ queryKey });
    },
    [store, client, queryKey],
  );
  // While an answer comes it changes all the time.
  const rested = useDebounced(talk);
  useEffect(() => void keep(rested), [rested, keep]);
  // Who leaves the page right after an answer finds it again.
  useEffect(() => () => void keep(latest.current), [keep]);
  const keepNow = (): Promise<void> => keep(latest.current);
  const again = (): void => void client.invalidateQueries({ queryKey });
  return {
    heads: data ?? [],
    keeping,
    keepNow,
    async read(id) {
      await keepNow();
      return store.read(id);
    },
    opened(lanes) {
      kept.current = lanes;
      setKeeping("kept");
    },
    remove: (id) => void store.remove(id).then(again, again),
    removeAll: () => void store.removeAll().then(again, again),
  };
}

/** Whose talks and prompts these are: the member's, in the account that paid. */
export function useOwner(): string {
  const { member, account } = useSession();
  return `${account.accountId}.${member.memberId}`;
}
