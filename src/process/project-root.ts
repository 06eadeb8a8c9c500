/** The project's own files: where they lie, and the version of the program that its package tells. */
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";

/** Of migrations, the sandbox, the built panel, the catalogue that comes with it. */
export const PROJECT_ROOT = dirname(dirname(import.meta.dirname));

export const VERSION: string = (
  JSON.parse(readFileSync(join(PROJECT_ROOT, "package.json"), "utf8")) as { version: string }
).version;
