/** Parts that several public pages are made of. */
import { markup, type Markup } from "./markup.ts";
import type { SiteTexts } from "./texts/site.ru.ts";

interface Column {
  readonly title: string;
  readonly figure?: true;
  /** Left out on a phone. */
  readonly wide?: true;
}

interface Row {
  readonly cells: readonly (Markup | string)[];
  /** What a search looks in, in lower case. */
  readonly find?: string;
}

interface TableLook {
  readonly foot?: Markup | null;
  /** A heading above says it already: it is there for those who hear the page. */
  readonly captionUnseen?: true;
  /** What stands in the cells says it itself. */
  readonly headsUnseen?: true;
  /** On a phone each row is a block: its cells are sentences. */
  readonly stacked?: true;
}

/** The first cell of a row names it. */
export function table(
  caption: string,
  columns: readonly Column[],
  rows: readonly Row[],
  { foot = null, captionUnseen, headsUnseen, stacked }: TableLook = {},
): Markup {
  const classOf = ({ figure, wide }: Column): Markup | null => {
    const names = [...(figure === true ? ["n"] : []), ...(wide === true ? ["wide"] : [])];
    return names.length === 0 ? null : markup` class="${names.join(" ")}"`;
  };
  const searched = rows.some(({ find }) => find !== undefined);
  const body = rows.map(({ cells, find }) => {
    const shown = columns.map((column, at) =>
      at === 0
        ? markup`<th scope="row">${cells[at] ?? ""}</th>`
        : markup`<td${classOf(column)}>${cells[at] ?? ""}</td>`,
    );
    return markup`<tr${find === undefined ? null : markup` data-find="${find}"`}>${shown}</tr>
`;
  });
  const heads = columns.map(
    (column) => markup`<th scope="col"${classOf(column)}>${column.title}</th>`,
  );
  return markup`<div class="table${stacked === true ? " stacked" : ""}" role="region" aria-label="${caption}" tabindex="0"${searched ? markup` data-found` : null}><table><caption${unseen(captionUnseen)}>${caption}</caption><thead${unseen(headsUnseen)}><tr>${heads}</tr></thead><tbody>${body}</tbody></table>${foot}</div>`;
}

function unseen(is: true | undefined): Markup | null {
  return is === true ? markup` class="unseen"` : null;
}

/** Code to be copied; the button comes with the script. */
export function sample(code: Markup, t: SiteTexts): Markup {
  return markup`<div class="sample"><pre tabindex="0"><code>${code}</code></pre><button type="button" class="btn line copy" data-copy hidden>${t.copy}</button></div>`;
}

interface ClientCode {
  readonly client: string;
  readonly code: Markup;
}

/** One is open, and opening another closes it, without a script. */
export function clientList(samples: readonly ClientCode[], t: SiteTexts): Markup {
  return markup`<div class="clients">${samples.map(
    ({ client, code }, at) =>
      markup`<details name="client"${at === 0 ? markup` open` : null}><summary>${client}</summary>${sample(code, t)}</details>`,
  )}</div>`;
}

/** Where the key of who reads it stands, when that is known. */
export const KEY: Markup = markup`<span data-key>tg_live_…</span>`;
