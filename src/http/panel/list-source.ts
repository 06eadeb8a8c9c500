/**
 * What lists and exports of the panel are read from: a replica where there is one that is near enough,
 * else the primary, as everything else is.
 */
import type { Books } from "../../business/past/books.ts";
import type { Queryable } from "../../db/database.ts";
import type { MemberCall } from "../route.ts";
import { hasJustChanged } from "./session-cookie.ts";

/** For all questions of one answer. */
export interface ListSource {
  readonly db: Queryable;
  readonly books: Books;
}

export type ListSourceOf = (call: Pick<MemberCall<unknown>, "member" | "headers">) => ListSource;

export interface ListSourceDeps extends ListSource {
  /** Null: there is no replica, or it is passed over. */
  reading(): Queryable | null;
  /** Whether the panel is reached by https. */
  secure(): boolean;
}

export function createListSource({ db, books, reading, secure }: ListSourceDeps): ListSourceOf {
  const primary: ListSource = { db, books };
  return ({ member, headers }) => {
    // Which keys are a developer's decides what it may see, and nothing is decided by what was.
    if (member.role === "developer" || hasJustChanged(headers, secure())) return primary;
    const replica = reading();
    if (replica === null) return primary;
    return {
      db: replica,
      books: {
        run: (statement, parameters) => replica.run(statement, parameters),
        pastFile: (name) => books.pastFile(name),
      },
    };
  };
}
