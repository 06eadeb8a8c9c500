/** Connects to where a database's address says that its server is. */
import { connect, type Socket } from "node:net";
import { join } from "node:path";

/** PostgreSQL names its socket by its port, also where it listens on no port. */
export function socketOf(folder: string, { port }: URL): string {
  return join(folder, `.s.PGSQL.${port || "5432"}`);
}

/** @param url of a database behind a Unix socket (`host` is a folder) or a TCP address */
export function dialDatabase(url: URL): Socket {
  const folder = url.searchParams.get("host");
  return folder === null
    ? connect(Number(url.port || "5432"), url.hostname)
    : connect(socketOf(folder, url));
}
