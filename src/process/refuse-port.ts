/** Says of an error of listening what is wrong with HOST and PORT, and what to do. */
import type { Config } from "../config/config.ts";
import { StartRefused } from "./start-refused.ts";

/** Throws what the start is to end with: any other error as it is. */
export function refusePort(error: unknown, { host, port }: Pick<Config, "host" | "port">): never {
  switch (error instanceof Error && "code" in error ? error.code : null) {
    case "EADDRINUSE":
      throw new StartRefused(
        `PORT: another program listens on ${host} port ${port} (\`ss -ltnp\` or \`lsof -i :${port}\` names it). Stop it, or set another PORT.`,
      );
    case "EACCES":
      throw new StartRefused(
        `PORT: this user may not listen on port ${port}. Set a PORT of 1024 or more.`,
      );
    case "EADDRNOTAVAIL":
    case "ENOTFOUND":
      throw new StartRefused(`HOST: ${host} is not an address of this machine. Set another HOST.`);
    default:
      throw error;
  }
}
