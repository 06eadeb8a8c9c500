/** Fields of members that several bodies of the panel have. */
import Type from "typebox";
import { LANGUAGES } from "../enums/language.ts";
import { MEMBER_ROLES } from "../enums/member-role.ts";

/**
 * Each may more than the one before: look; keys, money and requests; everything, other members
 * among it.
 */
export const ROLE = Type.Enum([...MEMBER_ROLES]);
/** Of the pages, and of the mail. */
export const LANGUAGE = Type.Enum([...LANGUAGES]);
export const EMAIL = Type.String({ minLength: 3, maxLength: 254 });
/** An IANA name, `Europe/Moscow`. */
export const TIMEZONE = Type.String({ minLength: 1, maxLength: 64 });
