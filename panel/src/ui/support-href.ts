/** Where a press on the installation's support leads: a mail to write, or its page. */

export function supportHref(support: string): string {
  return /^https?:/.test(support) ? support : `mailto:${support}`;
}
