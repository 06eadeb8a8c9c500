/**
 * To an account as operators see it: by its name where it is known, by the beginning of its id
 * else.
 */
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";

const SHOWN_LETTERS = 8;

export function AccountLink({
  accountId,
  name,
}: {
  readonly accountId: string;
  readonly name?: string | null;
}): ReactNode {
  return (
    <Link to="/operator/accounts/$id" params={{ id: accountId }} title={name ?? accountId}>
      {name ?? <code className="nowrap">{`${accountId.slice(0, SHOWN_LETTERS)}…`}</code>}
    </Link>
  );
}
