/**
 * A visitor wants an account: it is made with its books and first member, who may log in once the
 * link in the mail came back.
 */
import { putConsents, type AgreedConsent } from "../../accounts/consents.store.ts";
import { findMemberByEmail, replaceSignUp, setSignUpCode } from "../../accounts/members.store.ts";
import { insertAccount, insertMember } from "../../accounts/store.ts";
import { deleteTokensOf } from "../../accounts/tokens.store.ts";
import type { Language } from "../../contract/enums/language.ts";
import type { Settings } from "../../contract/panel/operator-settings.ts";
import type { CaptchaAnswer } from "../../contract/panel/sessions.ts";
import { sayRefusal } from "../../contract/sentences/say-refusal.ts";
import type { Tx } from "../../db/database.ts";
import { Fault } from "../../kernel/faults.ts";
import type { Uuid } from "../../kernel/ids.ts";
import { newUuid } from "../../kernel/ids.ts";
import { openAccount } from "../../ledger/accounts.store.ts";
import { readEmail } from "../accounts/read-email.ts";
import { readName } from "../accounts/read-name.ts";
import { readSettings } from "../settings/read-settings.ts";
import { plainSignUpCode, SIGN_UP_CODE } from "../settings/sign-up-code.ts";
import { findSignUpCode } from "../settings/sign-up-codes.store.ts";
import { checkCaptcha } from "./captcha.ts";
import { inEvenTime } from "./even-time.ts";
import { mailLink } from "./mail-link.ts";
import type { MembersDeps, Visitor } from "./members-deps.ts";
import { checkNewPassword } from "./new-password.ts";
import { newSignUpToken } from "./sign-up-browser.ts";
import { checkDomain, checkOpen, readConsents, type SentConsents } from "./sign-up-rules.ts";

export interface SignUpRequest {
  readonly email: string;
  readonly password: string;
  readonly accountName: string;
  readonly language: Language;
  readonly visitor: Visitor;
  /** Null: none was typed. */
  readonly code: string | null;
  readonly consents: SentConsents;
  readonly captcha: CaptchaAnswer | null;
}

interface SignUp {
  readonly email: string;
  readonly passwordHash: string;
  readonly accountName: string;
  readonly language: Language;
  readonly codeId: Uuid | null;
  readonly consents: readonly AgreedConsent[];
}

const LONGEST_NAME = 200;

/**
 * Ends the same way and after the same time whether the e-mail is known or not; the mail says the
 * rest. Throws Fault where the installation's rules let it not in, which are the same for every
 * e-mail of a domain. Returns what the browser keeps (sign-up-browser.ts).
 */
export async function signUp(deps: MembersDeps, request: SignUpRequest): Promise<string> {
  const email = readEmail(request.email);
  const accountName = readName(request.accountName, LONGEST_NAME);
  checkNewPassword(request.password, email);
  const { throttle, clock, passwords, db } = deps;
  const { signUp: rules } = await readSettings(db);
  checkOpen(rules);
  checkDomain(rules, email);
  const consents = readConsents(rules, request.consents);
  await throttle.takeFrom(request.visitor.address);
  await throttle.take({ kind: "mailFrom", whom: email, from: request.visitor.address });
  const codeId = await findCode(deps, rules, request);
  if (rules.captcha) await checkCaptcha(deps, request.captcha);
  return inEvenTime(clock, async () => {
    const passwordHash = await passwords.hash(request.password);
    const kept = newSignUpToken(deps.hashToken, { email, passwordHash });
    // No stranger's mailbox is flooded from here.
    if (!(await throttle.tryTake({ kind: "mailTo", whom: email }))) return kept;
    await db.transaction((tx) =>
      take(tx, deps, {
        email,
        passwordHash,
        accountName,
        language: request.language,
        codeId,
        consents,
      }),
    );
    return kept;
  });
}

/** Throws Fault("invalid_request") where a code is asked for and this is none. */
async function findCode(
  { db, hashToken, throttle }: MembersDeps,
  { mode }: Settings["signUp"],
  { code, visitor }: SignUpRequest,
): Promise<Uuid | null> {
  if (mode !== "code") return null;
  await throttle.take({ kind: "signUpCode", whom: "any", from: visitor.address });
  const codeId = await findSignUpCode(db, hashToken(SIGN_UP_CODE, plainSignUpCode(code ?? "")));
  if (codeId !== null) return codeId;
  throw new Fault("invalid_request", { ...sayRefusal("sign_up_code_wrong"), param: "code" });
}

async function take(tx: Tx, deps: MembersDeps, wanted: SignUp): Promise<void> {
  const { email, passwordHash, accountName, language } = wanted;
  const [memberId, accountId] = [newUuid(), newUuid()];
  const person = { memberId, accountId, email, passwordHash, language };
  if (
    await insertMember(tx, {
      ...person,
      mustChangePassword: false,
      operator: false,
      role: "owner",
      verified: false,
    })
  ) {
    await insertAccount(tx, { accountId, name: accountName });
    await openAccount(tx, accountId);
    await note(tx, memberId, wanted);
    return mailLink(tx, deps, { memberId, email, language }, "verify");
  }
  const again = await replaceSignUp(tx, wanted);
  if (again !== null) return mailAgain(tx, deps, again, wanted);
  const known = await findMemberByEmail(tx, email);
  if (known !== null) await deps.mail(tx, known, { kind: "known" });
}

/** Links of the sign-up before would confirm a password that a stranger may have chosen. */
async function mailAgain(tx: Tx, deps: MembersDeps, memberId: Uuid, wanted: SignUp): Promise<void> {
  const { email, language } = wanted;
  await note(tx, memberId, wanted);
  await deleteTokensOf(tx, memberId, "verify");
  await mailLink(tx, deps, { memberId, email, language }, "verify");
}

/** What it came in by, and what it agreed to. */
async function note(tx: Tx, memberId: Uuid, { codeId, consents }: SignUp): Promise<void> {
  await setSignUpCode(tx, memberId, codeId);
  await putConsents(tx, memberId, consents);
}
