/** Where Codex is installed on this machine: TEST_CODEX_BIN names it, else it is looked for on the PATH. */
import { existsSync } from "node:fs";
import { join, resolve } from "node:path";

/** Null where it is not installed. */
export function codexBinary(): string | null {
  const { TEST_CODEX_BIN: named, PATH = "" } = process.env;
  if (named !== undefined && named !== "") return resolve(named);
  const places = PATH.split(":").map((folder) => join(folder, "codex"));
  return places.find((path) => existsSync(path)) ?? null;
}
