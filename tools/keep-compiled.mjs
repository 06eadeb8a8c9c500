/**
 * Lets Node keep what it has compiled for the next start, in a folder of this user's own. Plain
 * JavaScript for Node 20.
 */
import { lstatSync, mkdirSync } from "node:fs";
import module from "node:module";
import { join } from "node:path";

/**
 * Null: there can be none. Code is run from it, so it is a folder of this very user that no other
 * may write. Behind a link it would be another project's.
 */
function compiledFolder(root) {
  const modules = join(root, "node_modules");
  const folder = join(modules, ".cache", "tollgate");
  try {
    if (lstatSync(modules, { throwIfNoEntry: false })?.isSymbolicLink()) return null;
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const found = lstatSync(folder);
    const ours =
      found.isDirectory() && found.uid === process.getuid() && (found.mode & 0o022) === 0;
    return ours ? folder : null;
  } catch {
    // A tree that cannot be written: each start compiles for itself.
    return null;
  }
}

/**
 * For this process and those that it starts. What the caller has set stands (NODE_COMPILE_CACHE, or
 * NODE_DISABLE_COMPILE_CACHE). Node tells its versions, their flags and its users apart in there by
 * itself, and compiles anew what has changed.
 */
export function keepCompiled(root) {
  if (process.env.NODE_COMPILE_CACHE !== undefined) return;
  const folder = compiledFolder(root);
  if (folder === null) return;
  process.env.NODE_COMPILE_CACHE = folder;
  // Where the program is run by this very process; a Node that is too old for that runs none.
  module.enableCompileCache?.(folder);
}
