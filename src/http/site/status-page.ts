/** Whether the gateway and each model work, and how the last days were; what has no figure is left out. */
import type { ServiceStatus } from "../../business/operate/service-status.ts";
import { dayStrip } from "./day-strip.ts";
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

function models({ models: of }: ServiceStatus, site: Site): Markup {
  const { t, language } = site;
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
      ...(hasDays ? [dayStrip(days, site)] : []),
      ...(hasShares ? [share === null ? "—" : shareText(share, language)] : []),
    ],
  }));
  return markup`${table(t.statusCaption, columns, rows, { captionUnseen: true })}<p class="small quiet">${t.nowNote}${hasShares ? ` ${t.sharesNote}` : ""}</p>`;
}
