/** `tollgate keys delete`: deletes a key by its hash. */
import { commandActor } from "../../business/operate/operator.ts";
import type { CredentialKind } from "../../kernel/secrets.ts";
import { classifyCredential } from "../../kernel/secrets.ts";
import type { Command } from "../command.ts";
import { done, failed, usage } from "../command.ts";
import { withDb } from "../with-db.ts";

const WRONG: Record<Exclude<CredentialKind, "hash">, string> = {
  secret:
    "this is the key's secret: it does not belong on a command line, where others see it. Delete by the hash, and consider the secret leaked",
  "bad-checksum":
    "this is a key's secret, mistyped: it does not belong on a command line. Delete by the hash",
  mask: "this is a mask, which several keys could share. Delete by the hash",
  other: "this is not a hash: 64 hexadecimal digits are expected",
};

export const keysDelete: Command = {
  name: "keys delete",
  summary:
    "Delete a key: from now on no process admits a request with it; what runs is finished and charged",
  positionals: [{ name: "HASH", help: "the key's hash, from `tollgate keys list`" }],
  options: {},
  async run({ positionals, deps }) {
    const hash = (positionals["HASH"] ?? "").trim();
    const kind = classifyCredential(hash);
    if (kind !== "hash")
      return usage(`${WRONG[kind]}; \`tollgate keys list ACCOUNT\` shows the hashes`);
    const { deleteAnyKey } = await import("../../business/operate/act-on-key.ts");
    const outcome = await withDb(deps, (db) => deleteAnyKey(db, commandActor(deps.user), hash));
    if (outcome.kind === "unknown-key")
      return failed(
        "there is no key with this hash; `tollgate keys list ACCOUNT` shows the hashes",
      );
    const { key } = outcome;
    const deletedAt = key.deletedAt?.toISOString() ?? null;
    const text =
      outcome.kind === "deleted"
        ? `deleted ${key.mask} (${key.name})`
        : `${key.mask} (${key.name}) was deleted before, at ${deletedAt ?? "an unknown time"}`;
    return done({ hash: key.hash, mask: key.mask, deletedAt }, text);
  },
};
