/** The program of the built-in upstream, which runs as a process of its own. */
import { join } from "node:path";
import { PROJECT_ROOT } from "./project-root.ts";

export const SANDBOX_PROGRAM = join(PROJECT_ROOT, "sandbox", "main.ts");
