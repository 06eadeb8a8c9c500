/** Programs of this machine that a test needs and no package of ours brings. */
import { existsSync } from "node:fs";
import { join } from "node:path";

/** Where servers lie that are not on everybody's PATH. */
const BESIDES = ["/usr/sbin", "/usr/local/sbin"];

/** The path of it; null where it is not installed. */
export function findProgram(name: string): string | null {
  const folders = [...(process.env["PATH"] ?? "").split(":"), ...BESIDES];
  return (
    folders
      .filter((folder) => folder !== "")
      .map((folder) => join(folder, name))
      .find((path) => existsSync(path)) ?? null
  );
}

/** For `skip` of a test: the first of them that is missing, by name; false where none is. */
export function missingProgram(...names: readonly string[]): string | false {
  const missing = names.find((name) => findProgram(name) === null);
  return missing === undefined ? false : `${missing} is not installed`;
}
