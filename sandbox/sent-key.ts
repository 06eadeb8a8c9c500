/** Finds the API keys of a request, in every way that one of the protocols sends them. */
import type { IncomingMessage } from "node:http";

/** `Authorization: Bearer` (or `Key`, as fal has it, or `Token`), then `x-api-key`. */
export function sentKeys(req: IncomingMessage): string[] {
  const authorization = /^(?:Bearer|Key|Token)\s+(\S+)$/i.exec(
    req.headers.authorization ?? "",
  )?.[1];
  const header = req.headers["x-api-key"];
  return [authorization, typeof header === "string" ? header : undefined]
    .filter((key) => key !== undefined)
    .filter((key) => key !== "");
}

/** Whose tasks are meant; empty where no key was sent. */
export function sentKey(req: IncomingMessage): string {
  return sentKeys(req)[0] ?? "";
}
