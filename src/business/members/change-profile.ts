/**
 * A member changes what it is called, and the language and time zone that the panel speaks to it
 * in.
 */
import { sayRefusal } from "../../contract/sentences/say-refusal.ts";
import type { MemberCaller } from "../../accounts/member-caller.ts";
import { changeProfile } from "../../accounts/members.store.ts";
import type { Language } from "../../contract/enums/language.ts";
import { Fault } from "../../kernel/faults.ts";
import { isTimezone } from "../../kernel/is-timezone.ts";
import { readName } from "../accounts/read-name.ts";
import type { MembersDeps } from "./members-deps.ts";

const LONGEST_NAME = 200;

export interface ProfileChanges {
  readonly name?: string;
  readonly language?: Language;
  /** IANA name. */
  readonly timezone?: string;
}

/** Throws Fault("invalid_request"). */
export async function changeOwnProfile(
  { db }: Pick<MembersDeps, "db">,
  caller: MemberCaller,
  changes: ProfileChanges,
): Promise<void> {
  const { name, timezone } = changes;
  if (timezone !== undefined && !isTimezone(timezone)) {
    throw new Fault("invalid_request", { ...sayRefusal("no_timezone"), param: "timezone" });
  }
  await changeProfile(db, caller.memberId, {
    ...changes,
    ...(name === undefined ? {} : { name: readName(name, LONGEST_NAME) }),
  });
}
