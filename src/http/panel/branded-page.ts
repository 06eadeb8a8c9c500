/**
 * The panel's one page with the installation's name, looks and colour in it: made once for each
 * version of them.
 */
import { hash } from "node:crypto";
import { brotliCompressSync, gzipSync } from "node:zlib";
import type { Installation } from "../../contract/panel/installation.ts";
import { escapeHtml } from "../../kernel/escape-html.ts";
import type { BuiltFile } from "./read-built-panel.ts";

export interface BrandedPage {
  readonly file: BuiltFile;
  /** What the policy calls its own style by; null: it has none. */
  readonly styleHash: string | null;
}

export type BrandPage = (installation: Installation) => BrandedPage;

/** What `panel/index.html` has for every installation. */
const TITLE = /<title>[^<]*<\/title>/;
const ICON = /<link rel="icon"[^>]*>/;
const HEAD_END = "</head>";

export function createBrandPage(index: BuiltFile): BrandPage {
  let made: { readonly of: string; readonly page: BrandedPage } | null = null;
  return (installation) => {
    const of = JSON.stringify(installation);
    if (made?.of !== of) made = { of, page: brand(index, installation, of) };
    return made.page;
  };
}

function brand(
  { plain: built, contentType }: BuiltFile,
  { name, favicon, tint }: Installation,
  document: string,
): BrandedPage {
  const style = tint === null ? null : `:root{--brand-h:${tint.hue};--brand-c:${tint.chroma}}`;
  const head = [
    `<meta name="tollgate-installation" content="${escapeHtml(document)}" />`,
    // Behind the panel's own styles, whose values it replaces.
    ...(style === null ? [] : [`<style>${style}</style>`]),
    HEAD_END,
  ];
  // Functions, because a replacement text would read `$&` in a name as what was found.
  let page = built
    .toString("utf8")
    .replace(TITLE, () => `<title>${escapeHtml(name)}</title>`)
    .replace(HEAD_END, () => head.join(""));
  if (favicon !== null)
    page = page.replace(ICON, () => `<link rel="icon" href="${favicon.url}" type="image/png" />`);
  const plain = Buffer.from(page, "utf8");
  return {
    file: {
      contentType,
      plain,
      packed: new Map([
        ["br", brotliCompressSync(plain)],
        ["gzip", gzipSync(plain)],
      ]),
    },
    styleHash: style === null ? null : `'sha256-${hash("sha256", style, "base64")}'`,
  };
}
