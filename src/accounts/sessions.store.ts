/**
 * Sessions and the devices they were begun on (schema `accounts`): what is deleted here is over at
 * the next request, in every process.
 */
import { LANGUAGES } from "../contract/enums/language.ts";
import { MEMBER_ROLES } from "../contract/enums/member-role.ts";
import { SESSION_STAGES, type SessionStage } from "../contract/enums/session-stage.ts";
import type { Queryable } from "../db/database.ts";
import { sql } from "../db/sql-type.ts";
import { statement } from "../db/statement.ts";
import type { Uuid } from "../kernel/ids.ts";
import type { MemberCaller } from "./member-caller.ts";

export interface NewSession {
  readonly sessionId: Uuid;
  readonly tokenHash: Buffer;
  readonly memberId: Uuid;
  readonly stage: StoredStage;
  readonly address: string;
  /** At most 400 characters. */
  readonly userAgent: string;
}

export interface SessionRecord {
  readonly sessionId: Uuid;
  readonly createdAt: Date;
  readonly seenAt: Date;
  readonly address: string;
  readonly userAgent: string;
}

/** `enrol` is none of a row: it is what `full` is worth while a second factor is wanted. */
export type StoredStage = Exclude<SessionStage, "enrol">;

/**
 * How long a session lives without being used, by its stage; and one that is logged in to the end,
 * at most.
 */
const IDLE_SECONDS = {
  full: 14 * 24 * 3600,
  totp: 15 * 60,
  password: 3600,
} as const satisfies Record<StoredStage, number>;
export const SESSION_SECONDS = 60 * 24 * 3600;
/** The time of its last use is noted once in so many seconds. */
const SEEN_EVERY_SECONDS = 60;

const INSERT_SESSION = statement({
  text: `INSERT INTO accounts.sessions (session_id, token_hash, member_id, stage, address, user_agent, expires_at, ends_at)
     VALUES ($1, $2, $3, $4, $5, $6, clock_timestamp() + $7 * interval '1 second', clock_timestamp() + $8 * interval '1 second')`,
  parameters: [sql.uuid, sql.bytea, sql.uuid, sql.text, sql.text, sql.text, sql.float8, sql.float8],
});

export async function insertSession(tx: Queryable, session: NewSession): Promise<void> {
  const { sessionId, tokenHash, memberId, stage, address, userAgent } = session;
  await tx.run(INSERT_SESSION, [
    sessionId,
    tokenHash,
    memberId,
    stage,
    address,
    userAgent,
    IDLE_SECONDS[stage],
    SESSION_SECONDS,
  ]);
}

const FIND_SESSION = statement({
  text: `SELECT s.session_id AS "sessionId", m.member_id AS "memberId", m.account_id AS "accountId", m.email, m.role, m.operator, m.language,
       CASE WHEN s.stage = 'full' AND a.totp_required
           AND NOT EXISTS (SELECT FROM accounts.totp t WHERE t.member_id = m.member_id AND t.confirmed_at IS NOT NULL)
           AND NOT EXISTS (SELECT FROM accounts.passkeys p WHERE p.member_id = m.member_id)
         THEN 'enrol' ELSE s.stage END AS stage,
       s.seen_at < clock_timestamp() - $2 * interval '1 second' AS unnoted
     FROM accounts.sessions s JOIN accounts.members m USING (member_id) JOIN accounts.accounts a USING (account_id)
     WHERE s.token_hash = $1 AND s.expires_at > clock_timestamp() AND s.ends_at > clock_timestamp()`,
  parameters: [sql.bytea, sql.float8],
  row: {
    sessionId: sql.uuid,
    memberId: sql.uuid,
    accountId: sql.uuid,
    email: sql.text,
    role: sql.oneOf(MEMBER_ROLES),
    operator: sql.bool,
    language: sql.oneOf(LANGUAGES),
    stage: sql.present(sql.oneOf(SESSION_STAGES)),
    unnoted: sql.bool,
  },
});

/** Null: there is none, or its time is over. `unnoted`: its last use is to be noted again. */
export async function findSession(
  q: Queryable,
  tokenHash: Buffer,
): Promise<(MemberCaller & { readonly unnoted: boolean }) | null> {
  const [row] = await q.run(FIND_SESSION, [tokenHash, SEEN_EVERY_SECONDS]);
  return row ?? null;
}

const NOTE_SESSION_SEEN = statement({
  text: `UPDATE accounts.sessions SET seen_at = clock_timestamp(), expires_at = least(clock_timestamp() + $2 * interval '1 second', ends_at)
     WHERE session_id = $1 AND stage = 'full'`,
  parameters: [sql.uuid, sql.float8],
});

/** It is used: it lives on from now. Does nothing to one that is not logged in to the end. */
export async function noteSessionSeen(q: Queryable, sessionId: Uuid): Promise<void> {
  await q.run(NOTE_SESSION_SEEN, [sessionId, IDLE_SECONDS.full]);
}

const ADVANCE_SESSION = statement({
  text: `UPDATE accounts.sessions SET token_hash = $4, stage = $3, seen_at = clock_timestamp(),
       expires_at = least(clock_timestamp() + $5 * interval '1 second', ends_at)
     WHERE session_id = $1 AND stage = $2 RETURNING true AS done`,
  parameters: [sql.uuid, sql.text, sql.text, sql.bytea, sql.float8],
  row: { done: sql.bool },
});

/**
 * Gives the session another token and stage: the token before is worth nothing from then on. False:
 * it is over, or no longer at `from`.
 */
export async function advanceSession(
  tx: Queryable,
  step: {
    readonly sessionId: Uuid;
    readonly from: StoredStage;
    readonly to: StoredStage;
    readonly tokenHash: Buffer;
  },
): Promise<boolean> {
  const rows = await tx.run(ADVANCE_SESSION, [
    step.sessionId,
    step.from,
    step.to,
    step.tokenHash,
    IDLE_SECONDS[step.to],
  ]);
  return rows.length === 1;
}

const NOTE_WRONG_CODE = statement({
  text: `WITH counted AS (UPDATE accounts.sessions SET wrong_codes = wrong_codes + 1 WHERE session_id = $1 AND wrong_codes + 1 < $2 RETURNING true)
     DELETE FROM accounts.sessions WHERE session_id = $1 AND NOT EXISTS (SELECT FROM counted)`,
  parameters: [sql.uuid, sql.int4],
});

/** A wrong code of the second factor: the session ends with the last one that it is allowed. */
export async function noteWrongCode(q: Queryable, sessionId: Uuid, most: number): Promise<void> {
  await q.run(NOTE_WRONG_CODE, [sessionId, most]);
}

const SESSIONS_OF = statement({
  text: `SELECT session_id AS "sessionId", created_at AS "createdAt", seen_at AS "seenAt", address, user_agent AS "userAgent" FROM accounts.sessions
     WHERE member_id = $1 AND stage = 'full' AND expires_at > clock_timestamp() AND ends_at > clock_timestamp()
     ORDER BY seen_at DESC, session_id DESC`,
  parameters: [sql.uuid],
  row: {
    sessionId: sql.uuid,
    createdAt: sql.timestamptz,
    seenAt: sql.timestamptz,
    address: sql.text,
    userAgent: sql.text,
  },
});

/** Those that are logged in, the one used last first. */
export async function sessionsOf(q: Queryable, memberId: Uuid): Promise<SessionRecord[]> {
  return q.run(SESSIONS_OF, [memberId]);
}

const DELETE_SESSION = statement({
  text: "DELETE FROM accounts.sessions WHERE session_id = $1 AND member_id = $2 RETURNING true AS done",
  parameters: [sql.uuid, sql.uuid],
  row: { done: sql.bool },
});

/** False: it is none of this member's. */
export async function deleteSession(
  q: Queryable,
  memberId: Uuid,
  sessionId: Uuid,
): Promise<boolean> {
  const rows = await q.run(DELETE_SESSION, [sessionId, memberId]);
  return rows.length === 1;
}

const DELETE_SESSION_BY_TOKEN = statement({
  text: "DELETE FROM accounts.sessions WHERE token_hash = $1",
  parameters: [sql.bytea],
});

export async function deleteSessionByToken(q: Queryable, tokenHash: Buffer): Promise<void> {
  await q.run(DELETE_SESSION_BY_TOKEN, [tokenHash]);
}

const DELETE_SESSIONS_OF = statement({
  text: "DELETE FROM accounts.sessions WHERE member_id = $1 AND session_id IS DISTINCT FROM $2",
  parameters: [sql.uuid, sql.nullable(sql.uuid)],
});

/** `except`: the one that stays; null: none does. */
export async function deleteSessionsOf(
  tx: Queryable,
  memberId: Uuid,
  except: Uuid | null,
): Promise<void> {
  await tx.run(DELETE_SESSIONS_OF, [memberId, except]);
}

const NOTE_DEVICE = statement({
  text: `WITH before AS (SELECT count(*) AS devices, count(*) FILTER (WHERE address = $2 AND user_agent = $3) AS same
       FROM accounts.devices WHERE member_id = $1),
     noted AS (INSERT INTO accounts.devices (member_id, address, user_agent) VALUES ($1, $2, $3)
       ON CONFLICT (member_id, address, user_agent) DO UPDATE SET seen_at = clock_timestamp())
     SELECT CASE WHEN same > 0 THEN 'known' WHEN devices > 0 THEN 'new' ELSE 'first' END AS verdict FROM before`,
  parameters: [sql.uuid, sql.text, sql.text],
  row: { verdict: sql.oneOf(["first", "new", "known"]) },
});

/** `first`: the member was never seen on any device before. */
export async function noteDevice(
  tx: Queryable,
  device: { readonly memberId: Uuid; readonly address: string; readonly userAgent: string },
): Promise<"first" | "new" | "known"> {
  const [row] = await tx.run(NOTE_DEVICE, [device.memberId, device.address, device.userAgent]);
  return row?.verdict ?? "known";
}
