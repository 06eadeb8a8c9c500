/**
 * Composition of the panel: its parts over the use cases, its sessions, and whatever it answers on
 * the raw request.
 */
import type { IncomingHttpHeaders } from "node:http";
import type { MemberCaller } from "../../accounts/member-caller.ts";
import type { RawHandler } from "../../http/node-server.ts";
import { createListSource } from "../../http/panel/list-source.ts";
import type { PanelRouteDeps } from "../../http/panel/panel-routes.ts";
import { changedCookie } from "../../http/panel/session-cookie.ts";
import { createTokenHash } from "../../kernel/opaque-token.ts";
import { postAll } from "../../ledger/journals.store.ts";
import { openAlerts } from "./open-alerts.ts";
import { openMembers } from "./open-members.ts";
import { openPayments } from "./open-payments.ts";
import { openPlayground } from "./open-playground.ts";
import { openTelegram } from "./open-telegram.ts";
import { openTopUps } from "./open-top-ups.ts";
import type { PanelParts } from "./panel-parts.ts";

export interface Panel {
  readonly routeDeps: PanelRouteDeps;
  readonly rawRoutes: ReadonlyMap<string, RawHandler>;
  authenticateMember(headers: IncomingHttpHeaders): Promise<MemberCaller>;
  close(): Promise<void>;
}

export function openPanel(parts: PanelParts): Panel {
  const members = openMembers(parts);
  const { authenticateMember } = members;
  const playground = openPlayground(parts, authenticateMember);
  const topUps = openTopUps(parts, openPayments(parts));
  const { replica } = parts;
  const { secure } = members.routeDeps;
  const lists = createListSource({
    ...parts,
    secure,
    reading: () => replica?.reading() ?? null,
  });
  // What is older than that is on every replica that is read from.
  const changedSeconds = parts.config.databaseReplicaLagSeconds + 1;
  return {
    routeDeps: {
      members: members.routeDeps,
      account: { ...parts, lists },
      playground: playground.routeDeps,
      billing: topUps.routeDeps,
      alerts: { ...openAlerts(parts), telegram: openTelegram(parts) },
      operator: {
        ...parts,
        lists,
        media: parts.files.media,
        topUps: topUps.routeDeps,
        hashToken: createTokenHash(parts.sessionSecret),
      },
      changed: replica === null ? null : () => changedCookie(changedSeconds, secure()),
    },
    rawRoutes: playground.rawRoutes,
    async authenticateMember(headers) {
      const member = await authenticateMember(headers);
      // Whatever a page shows of money is shown with all that has ended before.
      await postAll(parts.db);
      return member;
    },
    async close() {
      await members.close();
      await topUps.close();
    },
  };
}
