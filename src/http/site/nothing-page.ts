/** What visitors see where there is nothing: no such model, no such page, and where to go on. */
import { markup } from "./markup.ts";
import type { SitePage } from "./page-frame.ts";
import type { Site } from "./site-place.ts";

export function nothingPage({ t, language }: Site, where: "models" | "pages"): SitePage {
  const text = where === "models" ? t.nothing : t.noPage;
  const on =
    where === "models"
      ? markup`<a href="/${language}/models">${t.dropFilters}</a>`
      : markup`<a href="/${language}">${t.firstPage}</a>`;
  return {
    title: text.replace(/\.$/, ""),
    description: text,
    rest: where === "models" ? "/models" : "",
    unlisted: true,
    body: markup`<div><h1>${text}</h1><p>${on}</p></div>`,
  };
}
