/**
 * Composition of the panel: its parts over the use cases, its sessions, and whatever it answers on
 * the raw request.
 */
import type { IncomingHttpHeaders } from "node:http";
import type { MemberCaller } from "../../accounts/member-caller.ts";
import type { RawHandler } from "../../http/node-server.ts";
import type { PanelUseCases } from "../../http/panel/panel-routes.ts";
import { openAccount } from "./open-account.ts";
import { openAlerts } from "./open-alerts.ts";
import { openBilling } from "./open-billing.ts";
import { openMembers } from "./open-members.ts";
import { openOperator } from "./open-operator.ts";
import { openPlayground } from "./open-playground.ts";
import type { PanelDeps } from "./panel-deps.ts";

export interface Panel {
  readonly useCases: PanelUseCases;
  readonly rawRoutes: ReadonlyMap<string, RawHandler>;
  authenticateMember(headers: IncomingHttpHeaders): Promise<MemberCaller>;
  close(): Promise<void>;
}

export function openPanel(deps: PanelDeps): Panel {
  const members = openMembers(deps);
  const parts = {
    members,
    account: openAccount(deps),
    playground: openPlayground({
      ...deps,
      authenticateMember: (headers) => members.authenticateMember(headers),
    }),
    billing: openBilling(deps),
    alerts: openAlerts(deps),
    operator: openOperator(deps),
  };
  return {
    useCases: {
      members: parts.members.useCases,
      account: parts.account.useCases,
      playground: parts.playground.useCases,
      billing: parts.billing.useCases,
      alerts: parts.alerts.useCases,
      operator: parts.operator.useCases,
    },
    rawRoutes: new Map(Object.values(parts).flatMap(({ rawRoutes }) => [...(rawRoutes ?? [])])),
    authenticateMember: (headers) => members.authenticateMember(headers),
    async close() {
      for (const part of Object.values(parts)) await part.close();
    },
  };
}
