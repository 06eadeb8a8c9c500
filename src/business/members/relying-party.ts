/** In whose name passkeys are made and asked for: the panel's own, by the address that it is reached at. */

export interface RelyingParty {
  /** A domain: passkeys of it are good nowhere else. */
  readonly id: string;
  /** Where their pages lie, `https://gateway.example`. */
  readonly origin: string;
}

/**
 * Null: browsers have none here, because the address is a number or is reached without TLS
 * (WebAuthn §5.1.3, Secure Contexts §3.1).
 */
export function relyingPartyOf(baseUrl: string): RelyingParty | null {
  const url = URL.parse(baseUrl);
  if (url === null) return null;
  const { hostname: id, origin, protocol } = url;
  if (/^[\d.]+$/.test(id) || id.startsWith("[")) return null;
  const here = id === "localhost" || id.endsWith(".localhost");
  return protocol === "https:" || here ? { id, origin } : null;
}
