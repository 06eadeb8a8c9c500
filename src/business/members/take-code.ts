/** Takes a code of a member's second factor, or one of its recovery codes, once. */
import { sayRefusal } from "../../contract/sentences/say-refusal.ts";
import { hashRecoveryCode } from "../../accounts/recovery-codes.ts";
import { totpStep } from "../../accounts/totp-code.ts";
import { findTotpSecret, takeRecoveryCode, takeTotpStep } from "../../accounts/totp.store.ts";
import type { Tx } from "../../db/database.ts";
import { Fault } from "../../kernel/faults.ts";
import type { Uuid } from "../../kernel/ids.ts";
import type { MembersDeps } from "./members-deps.ts";

type Deps = Pick<MembersDeps, "seal" | "clock">;

/** Where a secret of the second factor is sealed for. */
export function totpPlace(memberId: Uuid): string {
  return `totp:${memberId}`;
}

/** False: it is wrong, or was taken before; nothing was changed. */
export async function takeCode(tx: Tx, deps: Deps, memberId: Uuid, code: string): Promise<boolean> {
  const digits = code.replaceAll(/\s/g, "");
  if (!/^\d{6}$/.test(digits)) return takeRecoveryCode(tx, memberId, hashRecoveryCode(code));
  return takeDigits(tx, deps, { memberId, digits, state: "confirmed" });
}

/** The digits that the app shows now, for a secret in this state. */
export async function takeDigits(
  tx: Tx,
  { seal, clock }: Deps,
  sent: { readonly memberId: Uuid; readonly digits: string; readonly state: "begun" | "confirmed" },
): Promise<boolean> {
  const sealed = await findTotpSecret(tx, sent.memberId, sent.state);
  // One that another SESSION_SECRET sealed cannot be asked for codes; recovery codes still open.
  const secret = sealed === null ? null : seal.open(sealed, totpPlace(sent.memberId));
  const step = secret === null ? null : totpStep(secret, sent.digits, clock.now());
  return step !== null && takeTotpStep(tx, sent.memberId, step);
}

/** What is said of a code that was not taken. */
export function wrongCode(): Fault {
  return new Fault("wrong_credentials", { ...sayRefusal("code_wrong"), param: "code" });
}
