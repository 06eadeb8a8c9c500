/**
 * The e-mail that was typed on a page outside, or proved by the link of a mail, goes along to the
 * next one: it is not asked for twice, nor lost while that page is fetched.
 */
import { createContext, useContext } from "react";

export interface TypedEmail {
  readonly email: string;
  setEmail(email: string): void;
}

/** The layout that these pages have in common keeps it, and nothing else does. */
export const TypedEmailContext = createContext<TypedEmail>({
  email: "",
  setEmail: () => undefined,
});

export function useTypedEmail(): TypedEmail {
  return useContext(TypedEmailContext);
}
