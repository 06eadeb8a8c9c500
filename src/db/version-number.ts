/**
 * Versions of the program as one number, so that they can be compared, here and by the database:
 * `1.2.3` is 1002003.
 */

const VERSION = /^(\d{1,3})\.(\d{1,3})\.(\d{1,3})(?:[-+].*)?$/;
const STEP = 1_000;

export function isVersion(text: string): boolean {
  return VERSION.test(text);
}

/** What follows the third number (`-rc.1`) is left out. Throws on what is no version. */
export function versionNumber(version: string): number {
  const [, major, minor, patch] = VERSION.exec(version) ?? [];
  if (major === undefined) throw new Error(`"${version}" is no version like 0.2.0`);
  return (Number(major) * STEP + Number(minor)) * STEP + Number(patch);
}

export function versionOf(number: number): string {
  const minors = Math.floor(number / STEP);
  return `${Math.floor(minors / STEP)}.${minors % STEP}.${number % STEP}`;
}
