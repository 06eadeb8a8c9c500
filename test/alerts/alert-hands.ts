/**
 * What tests of alerts do again and again: owners, their rules and logs, and money that moves until
 * it was looked at.
 */
import assert from "node:assert/strict";
import type { MemberCaller } from "../../src/accounts/member-caller.ts";
import type {
  Alert,
  AlertDelivery,
  AlertDeliveryList,
  AlertList,
  NewAlert,
} from "../../src/contract/panel/alert.ts";
import { topUp } from "../../src/business/accounts/top-up.ts";
import type { Uuid } from "../../src/kernel/ids.ts";
import { parseRoubles, ZERO_NANO } from "../../src/kernel/money.ts";
import type { TestDatabase } from "../support/database.ts";
import { newAccount } from "../support/new-customer.ts";
import { until } from "../support/until.ts";
import { addMember, charge, lookedAt, type AlertWorld } from "./alert-world.ts";

export interface AlertHands {
  /** With an owner, whom the gateway looks at already, without the rules that all have. */
  newOwner(roubles: string): Promise<MemberCaller>;
  rules(member: MemberCaller): Promise<Alert[]>;
  add(member: MemberCaller, wish: NewAlert): Promise<Alert>;
  /** Newest first. */
  log(member: MemberCaller): Promise<AlertDelivery[]>;
  credit(accountId: Uuid, roubles: string): Promise<void>;
  spend(accountId: Uuid, roubles: string, budgetId?: Uuid | null): Promise<void>;
}

export function alertHands(database: TestDatabase, world: AlertWorld): AlertHands {
  async function newOwner(roubles: string): Promise<MemberCaller> {
    const owner = await addMember(database.db, await newAccount(database.db, roubles));
    await until("it is looked at", async () => (await rules(owner)).length > 0);
    for (const { alertId } of await rules(owner))
      assert.equal(
        (await world.endpoint.ask(owner, "DELETE", `/panel/api/alerts/${alertId}`)).status,
        200,
      );
    return owner;
  }

  async function rules(member: MemberCaller): Promise<Alert[]> {
    return (await world.endpoint.ask(member, "GET", "/panel/api/alerts")).json<AlertList>().data;
  }

  async function add(member: MemberCaller, wish: NewAlert): Promise<Alert> {
    const answer = await world.endpoint.ask(member, "POST", "/panel/api/alerts", wish);
    assert.equal(answer.status, 201, answer.text);
    return answer.json<Alert>();
  }

  async function log(member: MemberCaller): Promise<AlertDelivery[]> {
    return (
      await world.endpoint.ask(member, "GET", "/panel/api/alerts/deliveries")
    ).json<AlertDeliveryList>().data;
  }

  async function looked(accountId: Uuid): Promise<void> {
    await until("the account is looked at", () => lookedAt(database.db, accountId));
  }

  async function credit(accountId: Uuid, roubles: string): Promise<void> {
    await topUp(database.db, {
      accountId,
      amountNano: parseRoubles(roubles) ?? ZERO_NANO,
      reference: null,
    });
    await looked(accountId);
  }

  async function spend(
    accountId: Uuid,
    roubles: string,
    budgetId: Uuid | null = null,
  ): Promise<void> {
    await charge(database.db, accountId, roubles, budgetId);
    await looked(accountId);
  }

  return { newOwner, rules, add, log, credit, spend };
}
