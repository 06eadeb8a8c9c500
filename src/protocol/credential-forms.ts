/** The forms in which a credential that we sent may come back in an upstream's words. */

/**
 * As we sent it, in a URL, and in Base64, as an echo of headers may have it. None for an empty one.
 */
export function credentialForms(credential: string): string[] {
  if (credential === "") return [];
  const base64 = Buffer.from(credential).toString("base64").replace(/=+$/, "");
  return [...new Set([credential, encodeURIComponent(credential), base64])];
}
