/**
 * Reads `sslmode` of a database's address as libpq means it: the driver takes most modes for
 * `verify-full`, and none as a wish.
 */

/**
 * https://www.postgresql.org/docs/18/libpq-ssl.html#LIBPQ-SSL-PROTECTION; `no-verify` is the
 * driver's own word for `require`.
 */
const MODES = [
  "disable",
  "allow",
  "prefer",
  "require",
  "no-verify",
  "verify-ca",
  "verify-full",
] as const;
type Mode = (typeof MODES)[number];

/** The machine's own authorities, as libpq names them; to the driver it would be a file. */
const SYSTEM = "system";

/**
 * The addresses to be tried one after the other, in the driver's words. An address without
 * `sslmode` stays as it is, unencrypted. Throws an Error whose one line says what is wrong.
 */
export function sslTries(address: string): readonly string[] {
  const url = new URL(address);
  const given = url.searchParams.get("sslmode");
  if (given === null) return [address];
  const mode = MODES.find((each) => each === given);
  if (mode === undefined)
    throw new Error(`sslmode: one of ${MODES.join(", ")} is expected, not "${given}"`);
  return isSocket(url) ? [plain(url)] : triesOf(url, mode);
}

function triesOf(url: URL, mode: Mode): readonly string[] {
  switch (mode) {
    case "disable":
      return [plain(url)];
    case "allow":
      return [plain(url), encrypted(url)];
    case "prefer":
      return [encrypted(url), plain(url)];
    case "require":
      // An operator who names an authority wants it looked at: so libpq does, for the sake of its
      // older versions.
      return [url.searchParams.has("sslrootcert") ? ofAuthority(url, mode) : encrypted(url)];
    case "no-verify":
      return [encrypted(url)];
    case "verify-ca":
      return [ofAuthority(url, mode)];
    case "verify-full":
      return [ofHost(url)];
  }
}

/** The server is on this machine, and a socket is never encrypted. */
function isSocket(url: URL): boolean {
  const host = url.searchParams.get("host") ?? decodeURIComponent(url.hostname);
  return host === "" || host.startsWith("/");
}

function plain(url: URL): string {
  return changed(url, { sslmode: "disable", sslrootcert: null, sslcert: null, sslkey: null });
}

function encrypted(url: URL): string {
  return changed(url, { sslmode: "no-verify", sslrootcert: null });
}

/** Its certificate is of that authority, whatever host it names. */
function ofAuthority(url: URL, mode: Mode): string {
  const root = url.searchParams.get("sslrootcert");
  if (root === null)
    throw new Error(`sslmode=${mode} needs the certificate of its authority: &sslrootcert=FILE`);
  // Anybody may have a certificate of a public authority.
  if (root === SYSTEM)
    throw new Error(
      `sslmode=${mode} proves nothing with sslrootcert=${SYSTEM}; use sslmode=verify-full`,
    );
  return changed(url, { sslmode: "verify-ca", uselibpqcompat: "true" });
}

function ofHost(url: URL): string {
  return url.searchParams.get("sslrootcert") === SYSTEM
    ? changed(url, { sslrootcert: null })
    : changed(url, {});
}

function changed(url: URL, params: Readonly<Record<string, string | null>>): string {
  const copy = new URL(url);
  for (const [name, value] of Object.entries({ uselibpqcompat: null, ...params })) {
    if (value === null) copy.searchParams.delete(name);
    else copy.searchParams.set(name, value);
  }
  return copy.href;
}

/**
 * The first address that `connects` takes. Rejects with what the last one said, where that is more
 * than that it wants encryption.
 */
export async function firstThatConnects(
  tries: readonly string[],
  connects: (url: string) => Promise<void>,
): Promise<string> {
  const errors: unknown[] = [];
  for (const url of tries) {
    try {
      await connects(url);
      return url;
    } catch (error) {
      errors.push(error);
    }
  }
  throw /no encryption/.test(String(errors.at(-1))) ? errors[0] : errors.at(-1);
}
