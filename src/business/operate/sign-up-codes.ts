/** Codes with which strangers may sign up: made, listed and taken back by operators. */
import type {
  SignUpCodeBody,
  SignUpCodeList,
  SignUpCodeMade,
} from "../../contract/panel/sign-up-codes.ts";
import type { Db } from "../../db/database.ts";
import { newUuid, type Uuid } from "../../kernel/ids.ts";
import type { TokenHash } from "../../kernel/opaque-token.ts";
import { newSignUpCode, plainSignUpCode, SIGN_UP_CODE } from "../settings/sign-up-code.ts";
import {
  insertSignUpCode,
  listSignUpCodes,
  withdrawSignUpCode,
} from "../settings/sign-up-codes.store.ts";
import { recordAction } from "./audit.store.ts";
import { actorOf, type Operator } from "./operator.ts";

const MOST_LISTED = 200;
const HINT_LENGTH = 4;

export async function signUpCodes(db: Db): Promise<SignUpCodeList> {
  const rows = await listSignUpCodes(db, MOST_LISTED);
  return {
    data: rows.map(({ createdAt, expiresAt, ...code }) => ({
      ...code,
      createdAt: createdAt.toISOString(),
      expiresAt: expiresAt?.toISOString() ?? null,
    })),
  };
}

/** Returns the code, which is nowhere else. */
export async function createSignUpCode(
  { db, hashToken }: { readonly db: Db; readonly hashToken: TokenHash },
  operator: Operator,
  { note = "", mostUses, days }: SignUpCodeBody,
): Promise<SignUpCodeMade> {
  const code = newSignUpCode();
  const codeId = newUuid();
  const hint = `${code.slice(0, HINT_LENGTH)}…`;
  const about = { note: note.trim() === "" ? null : note.trim(), mostUses, days };
  await db.transaction(async (tx) => {
    const codeHash = hashToken(SIGN_UP_CODE, plainSignUpCode(code));
    await insertSignUpCode(tx, { codeId, codeHash, hint, ...about });
    await recordAction(tx, {
      ...actorOf(operator),
      action: "sign_up_code.create",
      accountId: null,
      subject: hint,
      reason: null,
      before: null,
      after: about,
    });
  });
  return { codeId, code };
}

/** Changes nothing where there is no such code any more. */
export async function takeBackSignUpCode(db: Db, operator: Operator, codeId: Uuid): Promise<void> {
  await db.transaction(async (tx) => {
    const hint = await withdrawSignUpCode(tx, codeId);
    if (hint === null) return;
    await recordAction(tx, {
      ...actorOf(operator),
      action: "sign_up_code.withdraw",
      accountId: null,
      subject: hint,
      reason: null,
      before: null,
      after: null,
    });
  });
}
