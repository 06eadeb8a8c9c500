/** Shows a member a secret for its app; nothing asks for its codes before one came back. */
import { sayRefusal } from "../../contract/sentences/say-refusal.ts";
import type { MemberCaller } from "../../accounts/member-caller.ts";
import { newTotpSecret, totpUri } from "../../accounts/totp-code.ts";
import { beginTotp } from "../../accounts/totp.store.ts";
import { Fault } from "../../kernel/faults.ts";
import { readSettings } from "../settings/read-settings.ts";
import type { MembersDeps } from "./members-deps.ts";
import { totpPlace } from "./take-code.ts";

/** Throws Fault("conflict") where a second factor is on. */
export async function beginSecondFactor(
  { db, seal }: Pick<MembersDeps, "db" | "seal">,
  { memberId, email }: MemberCaller,
): Promise<{ readonly secret: string; readonly uri: string }> {
  const secret = newTotpSecret();
  if (!(await beginTotp(db, memberId, seal.seal(secret, totpPlace(memberId))))) {
    throw new Fault("conflict", sayRefusal("second_factor_on"));
  }
  const { brand } = await readSettings(db);
  return { secret, uri: totpUri(secret, email, brand.name) };
}
