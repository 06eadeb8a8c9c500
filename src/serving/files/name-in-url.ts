/**
 * What an address calls the file that it leads to: the last part of its path, decoded where it can
 * be; null where that is nothing.
 */
export function nameInUrl(url: string): string | null {
  const part = URL.parse(url)?.pathname.split("/").at(-1) ?? "";
  try {
    return decodeURIComponent(part) || null;
  } catch {
    return part || null;
  }
}
