/** What the use cases of passkeys are made of, beside what all of members are. */
import { sayRefusal } from "../../contract/sentences/say-refusal.ts";
import type { Queryable } from "../../db/database.ts";
import { Fault } from "../../kernel/faults.ts";
import type { Uuid } from "../../kernel/ids.ts";
import type { MembersDeps } from "./members-deps.ts";
import type { RelyingParty } from "./relying-party.ts";

export interface PasskeyDeps extends MembersDeps {
  /** Null: there can be none here. */
  relyingParty(): RelyingParty | null;
  /** Writes a line of the operators' log. */
  recordOperator(tx: Queryable, line: OperatorLine): Promise<void>;
}

export interface OperatorLine {
  readonly action: PasskeyAction;
  /** Whose passkey it was. */
  readonly memberId: Uuid;
  readonly email: string;
  readonly accountId: Uuid;
  /** What it is called. */
  readonly subject: string;
  readonly before: unknown;
  readonly after: unknown;
}

export type PasskeyAction = "passkey.add" | "passkey.remove" | "passkey.log_in" | "passkey.refused";

/** Throws Fault("conflict") where there can be none. */
export function partyOf({ relyingParty }: Pick<PasskeyDeps, "relyingParty">): RelyingParty {
  const party = relyingParty();
  if (party === null) throw new Fault("conflict", sayRefusal("passkeys_impossible"));
  return party;
}
