/**
 * Insists, before anything is written, that DATABASE_URL leads to a server that the gateway can
 * live on.
 */
import { Client } from "pg";
import { unreachable } from "./connection-advice.ts";
import { runStatement } from "./run-statement.ts";
import { sql } from "./sql-type.ts";
import { statement, type Statement } from "./statement.ts";

const OLDEST_VERSION = 15;
const CONNECT_WITHIN_MS = 10_000;
/**
 * Turns of asking two clients in alternation. A pooler that lends sessions out shows at the first
 * where no other client uses it.
 */
const TURNS = 4;

/** What a server says of itself to any client. */
export interface ServerFacts {
  /** Such as 150004. */
  readonly version: number;
  readonly encoding: string;
  readonly mayCreate: boolean;
  readonly database: string;
  readonly role: string;
}

/** Says which server process answers; see `keepsSessions`. */
type AskPid = () => Promise<number>;

/** Throws an Error whose one line says what is wrong and what its operator has to do. */
export async function insistOnServer(url: string): Promise<void> {
  const clients: Client[] = [];
  try {
    const [first, second] = [await connect(url, clients), await connect(url, clients)];
    const mistake = serverMistake(await ask(first, FACTS));
    if (mistake !== null) throw new Error(mistake);
    if (!(await keepsSessions(askPid(first), askPid(second)))) {
      throw new Error(
        "a pooler in between gives its clients another session for each transaction or statement, which cannot work. Set it to session pooling (pool_mode=session of PgBouncer), or lead to the server itself.",
      );
    }
  } finally {
    await Promise.all(clients.map((client) => client.end().catch(() => undefined)));
  }
}

async function connect(url: string, clients: Client[]): Promise<Client> {
  try {
    const client = new Client({
      connectionString: url,
      application_name: "tollgate start",
      connectionTimeoutMillis: CONNECT_WITHIN_MS,
      // Where all sessions of a pooler are taken, it is the first statement that waits.
      query_timeout: CONNECT_WITHIN_MS,
    });
    client.on("error", () => {}); // also rejects the statement in flight, which is where it is reported
    clients.push(client);
    await client.connect();
    return client;
  } catch (cause) {
    throw unreachable(cause);
  }
}

async function ask<Row>(client: Client, about: Statement<readonly [], Row>): Promise<Row> {
  const [row] = await runStatement(client, about, []).catch((cause: unknown) => {
    throw unreachable(cause);
  });
  if (row === undefined) throw new Error("the server says nothing of itself");
  return row;
}

const FACTS = statement({
  text: `SELECT current_setting('server_version_num')::integer AS version, current_setting('server_encoding') AS encoding,
  has_database_privilege(current_database(), 'CREATE') AS "mayCreate", current_database()::text AS database, current_user::text AS role`,
  row: {
    version: sql.int4,
    encoding: sql.text,
    mayCreate: sql.bool,
    database: sql.text,
    role: sql.text,
  },
});

/**
 * UTF-8 passes SQL_ASCII byte for byte; every other encoding lacks letters of what customers send.
 */
const ENCODINGS = new Set(["UTF8", "SQL_ASCII"]);

/** A line for the operator, or null when all is well. */
export function serverMistake({
  version,
  encoding,
  mayCreate,
  database,
  role,
}: ServerFacts): string | null {
  const major = Math.floor(version / 10_000);
  if (major < OLDEST_VERSION)
    return `this is PostgreSQL ${major}; ${OLDEST_VERSION} or newer is needed. Upgrade it, or lead to another server.`;
  if (!ENCODINGS.has(encoding)) {
    return `the database ${database} has the encoding ${encoding}; UTF8 is needed. Make another one: CREATE DATABASE … OWNER ${role} ENCODING 'UTF8' TEMPLATE template0.`;
  }
  if (!mayCreate)
    return `the role ${role} may not make schemas in it. Let its owner run: GRANT CREATE ON DATABASE ${database} TO ${role}.`;
  return null;
}

const PID = statement({ text: "SELECT pg_backend_pid() AS pid", row: { pid: sql.int4 } });

function askPid(client: Client): AskPid {
  return async () => (await ask(client, PID)).pid;
}

/**
 * Whether each of two clients has a server process of its own, the same all the time. Locks, LISTEN
 * and settings belong to it, so that behind a pooler that lends them out they would be another
 * client's, and no client could give a lock back.
 */
export async function keepsSessions(askFirst: AskPid, askSecond: AskPid): Promise<boolean> {
  const [first, second] = [await askFirst(), await askSecond()];
  for (let turn = 1; turn < TURNS; turn++) {
    if ((await askFirst()) !== first || (await askSecond()) !== second) return false;
  }
  return first !== second;
}
