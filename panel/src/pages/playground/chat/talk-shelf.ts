/** Where the browser keeps talks: its own database, of which nothing is ever sent anywhere. */
import type { TalkHead } from "./stored-talk.ts";
import type { TalkShelf } from "./talk-store.ts";

const NAME = "tollgate-talks";
const VERSION = 1;
const HEADS = "heads";
const TALKS = "talks";
const BY_OWNER = "owner";

/** Every method throws where the browser keeps nothing, as some do in private windows. */
export function openTalkShelf(): TalkShelf {
  let opened: Promise<IDBDatabase> | null = null;
  const database = (): Promise<IDBDatabase> => {
    opened ??= open();
    // It is tried again at the next call.
    opened.catch(() => (opened = null));
    return opened;
  };
  return {
    async heads(owner) {
      const store = (await database()).transaction(HEADS).objectStore(HEADS);
      return answerOf<TalkHead[]>(store.index(BY_OWNER).getAll(owner));
    },
    async read(id) {
      return answerOf<unknown>((await database()).transaction(TALKS).objectStore(TALKS).get(id));
    },
    async write(head, talk) {
      await change(await database(), (heads, talks) => {
        heads.put(head);
        talks.put(talk);
      });
    },
    async remove(ids) {
      await change(await database(), (heads, talks) => {
        for (const id of ids) {
          heads.delete(id);
          talks.delete(id);
        }
      });
    },
  };
}

function open(): Promise<IDBDatabase> {
  const { promise, resolve, reject } = Promise.withResolvers<IDBDatabase>();
  const request = indexedDB.open(NAME, VERSION);
  request.addEventListener("upgradeneeded", () => {
    const database = request.result;
    database.createObjectStore(HEADS, { keyPath: "id" }).createIndex(BY_OWNER, "owner");
    database.createObjectStore(TALKS, { keyPath: "id" });
  });
  request.addEventListener("success", () => {
    // Pages of a later form are let in, and keep what is said from then on.
    request.result.addEventListener("versionchange", () => request.result.close());
    resolve(request.result);
  });
  request.addEventListener("error", () => reject(reasonOf(request.error)));
  request.addEventListener("blocked", () => reject(reasonOf(null)));
  return promise;
}

function answerOf<Answer>(request: IDBRequest): Promise<Answer> {
  const { promise, resolve, reject } = Promise.withResolvers<Answer>();
  request.addEventListener("success", () => resolve(request.result as Answer));
  request.addEventListener("error", () => reject(reasonOf(request.error)));
  return promise;
}

/** Both stores at once, or neither. */
function change(
  database: IDBDatabase,
  make: (heads: IDBObjectStore, talks: IDBObjectStore) => void,
): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const transaction = database.transaction([HEADS, TALKS], "readwrite");
  transaction.addEventListener("complete", () => resolve());
  transaction.addEventListener("abort", () => reject(reasonOf(transaction.error)));
  make(transaction.objectStore(HEADS), transaction.objectStore(TALKS));
  return promise;
}

function reasonOf(error: DOMException | null): Error {
  return error ?? new Error("the browser keeps nothing");
}
