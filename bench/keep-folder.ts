/** Gives a finished folder its name; where another process was faster, its folder counts. */
import { existsSync, renameSync, rmSync } from "node:fs";

export function keepFolder(draft: string, name: string): void {
  try {
    renameSync(draft, name);
  } catch (error) {
    if (!existsSync(name)) throw error;
    rmSync(draft, { recursive: true, force: true });
  }
}
