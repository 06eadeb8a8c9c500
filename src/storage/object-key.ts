/**
 * The form of a name under which bytes lie: safe as a path, as part of a URL and as an S3 key,
 * whatever the place.
 */
import { assert } from "../kernel/assert.ts";

const FORM = /^[0-9a-z]{2,64}(\.[0-9a-z]{1,8})?$/;

export function isObjectKey(text: string): boolean {
  return FORM.test(text);
}

/**
 * Keys are made by the program, never taken from callers, so another form is a broken invariant.
 */
export function assertObjectKey(key: string): void {
  assert(
    isObjectKey(key),
    "an object's key is of 2 to 64 characters 0-9 a-z, with a short extension at most",
  );
}
