/**
 * The token of a link in a mail, taken out of the address so that it stays in no history; it may
 * stand after `#` or `?token=`.
 */
import { useEffect, useState } from "react";

/** Null: the link is not whole. */
export function useLinkToken(): string | null {
  const [token] = useState(() => {
    const hash = new URLSearchParams(location.hash.slice(1)).get("token");
    return hash ?? new URLSearchParams(location.search).get("token");
  });
  useEffect(() => {
    history.replaceState(history.state, "", location.pathname);
  }, []);
  return token;
}
