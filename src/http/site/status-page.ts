/** Whether the gateway and each model work, and how the last days were; what has no figure is left out. */
import type { ServiceStatus } from "../../business/operate/service-status.ts";
import { shareText } from "./format-figures.ts";
import { markup, type Markup } from "./markup.ts";
import type { SitePage } from "./page-frame.ts";
import { table } from "./page-parts.ts";
import { modelPath, type Site } from "./site-place.ts";

export interface SiteStatus {
  readonly ready: boolean;
  /** Null: nothing could be read yet. */
  readonly service: ServiceStatus | null;
}

/** From a share on a day is as it should be, and from another it is bad. */
const GOOD_FROM = 0.98;
const BAD_BELOW = 0.9;
const STEP = 5;
const HEIGHT = 18;

export function statusPage(site: Site, { ready, service }: SiteStatus): SitePage {
  const { t, language, installation } = site;
  const { announcement } = installation;
  return {
    title: t.statusTitle,
    description: t.statusDescription,
    rest: "/status",
    body: markup`<div><h1>${t.statusTitle}</h1><p class="health all ${ready ? "works" : "down"}">${ready ? t.taking : t.notTaking}</p></div>
${announcement === null ? null : markup`<p class="note">${announcement[language]}</p>`}
${service === null ? markup`<p>${t.noFigures}</p>` : models(service, site)}`,
  };
}

function models({ models: of }: ServiceStatus, { t, language }: Site): Markup {
  const hasDays = of.some(({ days }) => days.some((share) => share !== null));
  const hasShares = of.some(({ share }) => share !== null);
  const columns = [
    { title: t.model },
    { title: t.now },
    ...(hasDays ? [{ title: t.lastDays, wide: true } as const] : []),
    ...(hasShares ? [{ title: t.answered, figure: true } as const] : []),
  ];
  const rows = of.map(({ id, displayName, health, days, share }) => ({
    cells: [
      markup`<a class="name" href="${modelPath(language, id)}">${displayName}</a><span class="id">${id}</span>`,
      health === null
        ? t.unknownHealth
        : markup`<span class="health ${health}">${t.health[health]}</span>`,
      ...(hasDays ? [strip(days, t, language)] : []),
      ...(hasShares ? [share === null ? "—" : shareText(share, language)] : []),
    ],
  }));
  return markup`${table(t.statusCaption, columns, rows, { captionUnseen: true })}<p class="small quiet">${t.nowNote}${hasShares ? ` ${t.sharesNote}` : ""}</p>`;
}

/** A bar for each day, pale where all is well. */
function strip(days: readonly (number | null)[], t: Site["t"], language: Site["language"]): Markup {
  const known = days.filter((share) => share !== null);
  const label = t.daysLabel(
    known.length,
    known.length === 0 ? "" : shareText(Math.min(...known), language),
  );
  return markup`<svg class="days" viewBox="0 0 ${days.length * STEP} ${HEIGHT}" role="img" aria-label="${label}" preserveAspectRatio="none">${days.map(
    (share, at) =>
      markup`<rect class="${look(share)}" x="${at * STEP}" width="${STEP - 1}" height="${HEIGHT}" rx="1"/>`,
  )}</svg>`;
}

function look(share: number | null): string {
  if (share === null) return "none";
  if (share >= GOOD_FROM) return "good";
  return share < BAD_BELOW ? "bad" : "weak";
}
