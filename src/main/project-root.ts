/** Where the project's own files lie: migrations, the sandbox, the catalogue that comes with it. */
import { dirname } from "node:path";

export const PROJECT_ROOT = dirname(dirname(import.meta.dirname));
