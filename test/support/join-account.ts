/** Joins an account at the panel as an invited person does. */
import assert from "node:assert/strict";
import type { MemberRole } from "../../src/contract/enums/member-role.ts";
import {
  logInAtPanel,
  mailedToken,
  newEmail,
  openPanelBrowser,
  PASSWORD,
  type PanelGateway,
  type PanelPerson,
} from "./panel-session.ts";

export async function joinAccount(
  gateway: PanelGateway,
  owner: PanelPerson,
  role: MemberRole,
): Promise<PanelPerson> {
  const [email, browser] = [newEmail(), openPanelBrowser(gateway.url)];
  const invited = await owner.ask("POST", "members/invite", { email, role });
  assert.equal(invited.status, 202, invited.text);
  const token = await mailedToken(gateway, email);
  const accepted = await browser.ask("POST", "members/accept", { token, password: PASSWORD });
  assert.equal(accepted.status, 200, accepted.text);
  return logInAtPanel(browser, email, PASSWORD);
}
