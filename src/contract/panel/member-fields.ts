/** Fields of members that several bodies of the panel have. */
import Type from "typebox";

/** Each may more than the one before: look; keys, money and requests; everything, other members among it. */
export const ROLE = Type.Enum(["viewer", "manager", "owner"]);
/** Of the pages, and of the mail. */
export const LANGUAGE = Type.Enum(["ru", "en"]);
export const EMAIL = Type.String({ minLength: 3, maxLength: 254 });
/** An IANA name, `Europe/Moscow`. */
export const TIMEZONE = Type.String({ minLength: 1, maxLength: 64 });
