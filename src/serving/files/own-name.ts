/**
 * Tells whether an address is one of our own stored files: those are read from storage and never
 * fetched over HTTP (contract §10).
 */

/**
 * The last part of the address; null for any address that is not below `staticUrl`. Whether there
 * is such a file is not said.
 */
export function ownName(address: string, staticUrl: string): string | null {
  const asked = URL.parse(address);
  const own = URL.parse(staticUrl);
  if (asked === null || own === null || asked.host !== own.host || asked.protocol !== own.protocol)
    return null;
  const folder = own.pathname.replace(/\/*$/, "/");
  if (!asked.pathname.startsWith(folder)) return null;
  const name = asked.pathname.slice(folder.length);
  return name === "" || name.includes("/") ? null : name;
}
