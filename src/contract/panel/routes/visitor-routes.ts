/** Routes of the panel for guests: signing up, links in mails, logging in. */
import Type from "typebox";
import { Installation } from "../installation.ts";
import { InvitationView } from "../members.ts";
import { PasskeyLogInBody, PasskeyRequest } from "../passkeys.ts";
import {
  AcceptBody,
  CaptchaChallenge,
  ConfirmedEmail,
  EmailBody,
  LinkOwner,
  LogInBody,
  Session,
  SignUpBody,
  TokenBody,
  TokenPasswordBody,
  Visit,
} from "../sessions.ts";
import { Done, type PanelRouteTable } from "./panel-route.ts";

/** What becomes of a 202 is told by mail, so that its answer says nothing of who has an account. */
export const VISITOR_ROUTES = {
  "GET /openapi.json": {
    summary: "This document",
    answer: Type.Record(Type.String(), Type.Unknown()),
  },
  "GET /visitor": { summary: "The session, or null where there is none", answer: Visit },
  "GET /installation": {
    summary: "What the installation is called, and how it looks",
    answer: Installation,
  },
  "POST /sign-up": {
    summary:
      "Sign up, by the rules of `installation`: 403 `permission_denied` otherwise, 409 where what is agreed to has a new wording",
    body: SignUpBody,
    answer: Done,
    status: 202,
  },
  // It is counted, so it is no GET.
  "POST /sign-up/captcha": {
    summary: "What is to be computed before a sign-up, where `installation` says so; good once",
    answer: CaptchaChallenge,
  },
  "POST /verify-email": {
    summary: "Confirm an e-mail by the link of its mail; it logs in the browser that signed up",
    body: TokenBody,
    answer: ConfirmedEmail,
  },
  "POST /verify-email/resend": {
    summary: "Ask for that mail again",
    body: EmailBody,
    answer: Done,
    status: 202,
  },
  "POST /log-in": {
    summary:
      "Log in: 401 `wrong_credentials`, 403 `email_unverified`, 429 `rate_limit_exceeded` otherwise",
    body: LogInBody,
    answer: Session,
  },
  "POST /log-in/passkey/begin": {
    summary: "Begin a log-in by passkey",
    answer: PasskeyRequest,
  },
  "POST /log-in/passkey": {
    summary:
      "Log in by it, as by password and second factor together: 401 `wrong_credentials`, 409 `conflict` where it took too long, 429 `rate_limit_exceeded` otherwise",
    body: PasskeyLogInBody,
    answer: Session,
  },
  // For who has no session any more, too: all it does is that the cookie is taken away.
  "POST /see-as/leave": {
    summary: "See the panel as oneself again",
    answer: Done,
  },
  "POST /password/forgot": {
    summary: "Ask for a mail with which a password is set anew",
    body: EmailBody,
    answer: Done,
    status: 202,
  },
  "POST /password/reset": {
    summary: "Set a password by the link of that mail; then log in",
    body: TokenPasswordBody,
    answer: Done,
  },
  // It reads, by POST: a token in an address would lie in logs.
  "POST /members/invitation": {
    summary: "What the link of an invitation invites to",
    body: TokenBody,
    answer: InvitationView,
  },
  "POST /members/accept": {
    summary: "Accept an invitation with a first password; then log in",
    body: AcceptBody,
    answer: LinkOwner,
  },
} as const satisfies PanelRouteTable;
