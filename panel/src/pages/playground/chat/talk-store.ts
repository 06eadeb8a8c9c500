/**
 * The talks of one member in one browser, within limits: the oldest make room, and one that is too
 * large by itself is not kept.
 */
import { headOf, readTalk, storedTalk } from "./stored-talk.ts";
import type { StoredTalk, TalkHead } from "./stored-talk.ts";

/** Where they lie. Every method throws where nothing can be kept. */
export interface TalkShelf {
  /** Of one owner, in no order. */
  heads(owner: string): Promise<readonly TalkHead[]>;
  /** As it was written; undefined: there is none. */
  read(id: string): Promise<unknown>;
  write(head: TalkHead, talk: StoredTalk): Promise<void>;
  remove(ids: readonly string[]): Promise<void>;
}

export interface TalkLimits {
  readonly talks: number;
  readonly charactersEach: number;
  readonly charactersAll: number;
}

/** Pictures are most of it: some 20 MB each, 100 MB in all. */
export const TALK_LIMITS: TalkLimits = {
  talks: 100,
  charactersEach: 20_000_000,
  charactersAll: 100_000_000,
};

/** `refused`: the browser keeps nothing, or has no room left. */
export type Keeping = "kept" | "too_large" | "refused";

export interface TalkStore {
  /** The newest first; empty too where the browser keeps nothing. */
  list(): Promise<readonly TalkHead[]>;
  read(id: string): Promise<StoredTalk | null>;
  keep(talk: Omit<StoredTalk, "form" | "owner">): Promise<Keeping>;
  remove(id: string): Promise<void>;
  removeAll(): Promise<void>;
}

interface TalkStoreDeps {
  readonly shelf: TalkShelf;
  readonly owner: string;
  now(): number;
  readonly limits?: TalkLimits;
}

export function createTalkStore({
  shelf,
  owner,
  now,
  limits = TALK_LIMITS,
}: TalkStoreDeps): TalkStore {
  const list = async (): Promise<readonly TalkHead[]> =>
    (await shelf.heads(owner)).toSorted((a, b) => b.keptAt - a.keptAt);
  return {
    list: () => list().catch(() => []),
    read: async (id) => readTalk(await shelf.read(id).catch(() => null), owner),
    async keep(talk) {
      const kept = storedTalk({ ...talk, owner });
      const head = headOf(kept, now());
      if (head.characters > limits.charactersEach) return "too_large";
      try {
        const others = (await list()).filter(({ id }) => id !== head.id);
        // First what is new: where there is no room for it, nothing else is lost.
        await shelf.write(head, kept);
        await shelf.remove(tooMany([head, ...others], limits));
        return "kept";
      } catch {
        return "refused";
      }
    },
    remove: (id) => shelf.remove([id]),
    async removeAll() {
      await shelf.remove((await shelf.heads(owner)).map(({ id }) => id));
    },
  };
}

/** Those that go, of the newest first. */
function tooMany(heads: readonly TalkHead[], limits: TalkLimits): readonly string[] {
  const gone: string[] = [];
  let characters = 0;
  for (const [at, head] of heads.entries()) {
    characters += head.characters;
    if (at >= limits.talks || characters > limits.charactersAll) gone.push(head.id);
  }
  return gone;
}
