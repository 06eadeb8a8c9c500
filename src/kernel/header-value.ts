/** What the value of an HTTP header may be made of, each character a byte (RFC 9110 §5.5). */
const NOT_IN_VALUES = /[^\t\x20-\x7e\x80-\xff]/;

/** False for what would end its line, or cannot be sent at all. */
export function isHeaderValue(text: string): boolean {
  return !NOT_IN_VALUES.test(text);
}
