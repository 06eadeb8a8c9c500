/** A link came back: the e-mail is confirmed, and its member may log in. */
import { deleteTokensOf, useToken } from "../../accounts/tokens.store.ts";
import { markVerified } from "../../accounts/members.store.ts";
import { Fault } from "../../kernel/faults.ts";
import type { MembersDeps } from "./members-deps.ts";

/** What is said of every link that does nothing, whatever the reason. */
export const DEAD_LINK = "This link is too old, or it was used already. Ask for a new one.";

/** Throws Fault("gone") for a token that is unknown, used, too old, or another purpose's. */
export async function verifyEmail(deps: Pick<MembersDeps, "db" | "hashToken">, token: string): Promise<void> {
  await deps.db.transaction(async (tx) => {
    const memberId = await useToken(tx, deps.hashToken("verify", token), "verify");
    if (memberId === null) throw new Fault("gone", { message: DEAD_LINK, param: "token" });
    await markVerified(tx, memberId);
    await deleteTokensOf(tx, memberId, "verify");
  });
}
