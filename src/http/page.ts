/**
 * A plain HTML page of ours: no script, one style that its own policy names by hash, nothing loaded
 * from anywhere.
 */
import { createHash } from "node:crypto";
import type { Answer } from "./route.ts";

const STYLE = `:root{color-scheme:light dark}body{font:16px/1.6 system-ui,sans-serif;max-width:42rem;margin:4rem auto;padding:0 1.25rem}h1{font-size:1.5rem}code{font-size:.9em}`;
const STYLE_HASH = createHash("sha256").update(STYLE).digest("base64");

/** `body` is HTML and is ours; nothing of a request ever goes into it. */
export function page(title: string, lang: string, body: string): Answer {
  return {
    headers: {
      "content-security-policy": `default-src 'none'; style-src 'sha256-${STYLE_HASH}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
      "referrer-policy": "no-referrer",
    },
    content: {
      contentType: "text/html; charset=utf-8",
      bytes: `<!doctype html>\n<html lang="${lang}"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>${title}</title><style>${STYLE}</style></head><body>\n${body}\n</body></html>\n`,
    },
  };
}
