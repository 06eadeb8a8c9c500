/** `tollgate catalogue show`: shows the catalogue in force. */
import type { Command } from "../command.ts";
import { done, failed } from "../command.ts";
import { withDb } from "../with-db.ts";

export const catalogueShow: Command = {
  name: "catalogue show",
  summary: "The catalogue in force, as it was written",
  positionals: [],
  options: {},
  async run({ deps }) {
    const { newestVersion } = await import("../../catalogue/store.ts");
    const stored = await withDb(deps, (db) => newestVersion(db));
    if (stored === null)
      return failed("no catalogue was ever applied; apply one with: tollgate catalogue apply FILE");
    const { version, source, digest, origin, appliedBy, appliedAt } = stored;
    // Beside the text, so that `tollgate catalogue show > FILE` gives back what was applied, to the
    // byte.
    deps.err(
      `version ${version}, applied ${appliedAt.toISOString()} by ${appliedBy} (${origin === "file" ? "the file at a start" : "on demand"})`,
    );
    return done(
      { version, digest, origin, appliedBy, appliedAt: appliedAt.toISOString(), source },
      source.replace(/\n$/, ""),
    );
  },
};
