/** A small tree of files in a temporary folder, for tools to look at; it goes with the test. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

export const PROJECT_ROOT = join(import.meta.dirname, "../..");

export interface TemporaryTree extends Disposable {
  readonly root: string;
  path(name: string): string;
  read(name: string): string;
  write(name: string, text: string): void;
  remove(name: string): void;
}

/** `modules: true` lets the tree use the project's own node_modules. */
export function temporaryTree(
  files: Readonly<Record<string, string>>,
  options: { readonly modules?: boolean } = {},
): TemporaryTree {
  const root = mkdtempSync(join(tmpdir(), "tree-"));
  const path = (name: string): string => join(root, name);
  function write(name: string, text: string): void {
    mkdirSync(dirname(path(name)), { recursive: true });
    writeFileSync(path(name), text);
  }
  for (const [name, text] of Object.entries(files)) write(name, text);
  if (options.modules === true)
    symlinkSync(join(PROJECT_ROOT, "node_modules"), path("node_modules"));
  return {
    root,
    path,
    read: (name) => readFileSync(path(name), "utf8"),
    write,
    remove: (name) => rmSync(path(name), { recursive: true, force: true }),
    [Symbol.dispose]: () => rmSync(root, { recursive: true, force: true, maxRetries: 3 }),
  };
}
