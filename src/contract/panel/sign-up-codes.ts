/** Codes with which strangers may sign up, where the installation asks for one. */
import Type from "typebox";
import { moment } from "../money.ts";
import { nullableInteger, nullableString } from "../nullable.ts";

/** A row of `GET operator/sign-up-codes`, newest first. */
const SignUpCode = Type.Object({
  codeId: Type.String(),
  hint: Type.String({ description: "How it begins; all of it was shown once." }),
  note: nullableString({ description: "What the operator has to say about it." }),
  uses: Type.Integer({ description: "By how many who have confirmed their e-mail." }),
  mostUses: nullableInteger({}, { description: "Null: any number." }),
  createdAt: moment("When it was made."),
  expiresAt: nullableString({ description: "Null: never." }),
});
export type SignUpCode = Type.Static<typeof SignUpCode>;

/** Those that were not withdrawn; the newest 200. */
export const SignUpCodeList = Type.Object({ data: Type.Array(SignUpCode) });
export type SignUpCodeList = Type.Static<typeof SignUpCodeList>;

export const SignUpCodeBody = Type.Object({
  note: Type.Optional(Type.String({ maxLength: 200 })),
  mostUses: nullableInteger(
    { minimum: 1, maximum: 1_000_000 },
    { description: "Null: any number." },
  ),
  days: nullableInteger({ minimum: 1, maximum: 3650 }, { description: "Null: for ever." }),
});
export type SignUpCodeBody = Type.Static<typeof SignUpCodeBody>;

export const SignUpCodeMade = Type.Object({
  codeId: Type.String(),
  code: Type.String({ description: "Shown this once." }),
});
export type SignUpCodeMade = Type.Static<typeof SignUpCodeMade>;
