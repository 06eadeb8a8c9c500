/** Says of an error that a first connection ended with what the operator has to do. */

/** By the code of PostgreSQL, of the system or of TLS. */
const ADVICE: Readonly<Record<string, string>> = {
  "28P01":
    "Set the password of this role: ALTER ROLE … PASSWORD '…'; reserved characters of it are percent-encoded in the address.",
  "28000": "Let this role in: a line in pg_hba.conf, and LOGIN of the role.",
  "3D000": "Make it: CREATE DATABASE … OWNER ….",
  "42501": "Let its owner run: GRANT CONNECT ON DATABASE … TO ….",
  "53300": "Raise max_connections.",
  ECONNREFUSED:
    "Start PostgreSQL there, let it listen on that address (listen_addresses, port), or lead to another one.",
  ENOTFOUND: "Name the host as it is in the DNS.",
  EAI_AGAIN: "The DNS does not answer.",
  ENOENT: "Name a file or a socket's folder that is there.",
  EACCES: "Let this user read that file or socket.",
  DEPTH_ZERO_SELF_SIGNED_CERT: "Name the certificate of its authority: &sslrootcert=FILE.",
  SELF_SIGNED_CERT_IN_CHAIN: "Name the certificate of its authority: &sslrootcert=FILE.",
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: "Name the certificate of its authority: &sslrootcert=FILE.",
  ERR_TLS_CERT_ALTNAME_INVALID: "Call the host as its certificate does.",
};

/** What the driver says without a code. */
const BY_WORDS: readonly (readonly [words: RegExp, advice: string])[] = [
  [/does not support SSL/, "Set ssl=on there, or take sslmode and the like out of the address."],
  [/pg_hba\.conf|no encryption/, "Let this role in by a line in pg_hba.conf."],
  [
    /^Query read timeout/,
    "It lets clients in and does not answer; a pooler may have too few sessions (default_pool_size of PgBouncer).",
  ],
  [/timeout/, "Does the address lead there, and does a firewall let it through?"],
  [/must be a string/, "A password is missing in the address."],
];

/**
 * For the operator who starts the program: what a failed connection, or a first statement without
 * an answer, is told as.
 */
export function unreachable(cause: unknown): Error {
  return new Error(`the database cannot be reached: ${connectionAdvice(cause)}`, { cause });
}

/** The error's own words first. */
function connectionAdvice(cause: unknown): string {
  const { message, code } = wordsOf(cause);
  const advice = ADVICE[code] ?? BY_WORDS.find(([words]) => words.test(message))?.[1] ?? "";
  return advice === "" ? message : `${message}. ${advice}`;
}

function wordsOf(cause: unknown): { readonly message: string; readonly code: string } {
  if (!(cause instanceof Error)) return { message: String(cause), code: "" };
  const code = "code" in cause && typeof cause.code === "string" ? cause.code : "";
  // Where a name has several addresses, the error of them all has a code and no words.
  return { message: cause.message === "" ? code : cause.message, code };
}
