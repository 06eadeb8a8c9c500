/**
 * Protects: routes of the panel answer to sessions alone, by role, and to pages of their own
 * origin.
 */
// Runs in a process of its own: its routes are none of those that other files have answers held against.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import {
  openPanelEndpoint,
  panelMember,
  type PanelEndpoint,
} from "../../../test/support/panel-endpoint.ts";
import { Fault } from "../../kernel/faults.ts";
import { newUuid } from "../../kernel/ids.ts";
import type { MemberRoute } from "../route.ts";
import { checkMemberAccess, type MemberNeeds } from "./member-access.ts";

const NEEDS: readonly MemberNeeds[] = ["unfinished", "viewer", "manager", "owner", "operator"];
const NEEDS_OF_TEAMS: readonly MemberNeeds[] = ["enrolling", "developer", "keyholder"];
let endpoint: PanelEndpoint;
before(async () => {
  endpoint = await openPanelEndpoint(
    [...NEEDS, ...NEEDS_OF_TEAMS].flatMap((needs) => [
      routeFor("GET", needs),
      routeFor("POST", needs),
    ]),
  );
});
after(() => endpoint.close());

function routeFor(method: "GET" | "POST", needs: MemberNeeds): MemberRoute {
  return {
    access: "member",
    method,
    path: `/panel/api/${needs}`,
    admit: (member) => checkMemberAccess(member, needs),
    handle: ({ member }) => ({ content: { json: { email: member.email } } }),
    doc: {
      operationId: `${method} ${needs}`,
      summary: needs,
      tag: "Panel",
      responses: {},
      errors: [],
    },
  };
}

test("each role reaches what it may, an unfinished session next to nothing, and operators' routes are not there for others", async () => {
  const accountId = newUuid();
  const statuses = async (about: Parameters<typeof panelMember>[0]): Promise<number[]> =>
    Promise.all(
      NEEDS.map(
        async (needs) =>
          (await endpoint.ask(panelMember(about), "GET", `/panel/api/${needs}`)).status,
      ),
    );
  assert.deepEqual(await statuses({ accountId, role: "viewer" }), [200, 200, 403, 403, 404]);
  assert.deepEqual(await statuses({ accountId, role: "manager" }), [200, 200, 200, 403, 404]);
  assert.deepEqual(await statuses({ accountId, role: "owner" }), [200, 200, 200, 200, 404]);
  assert.deepEqual(
    await statuses({ accountId, role: "viewer", operator: true }),
    [200, 200, 403, 403, 200],
  );
  assert.deepEqual(
    await statuses({ accountId, stage: "totp", operator: true }),
    [200, 403, 403, 403, 403],
  );
  assert.deepEqual(
    await statuses({ accountId, stage: "password", operator: true }),
    [200, 403, 403, 403, 403],
  );
  assert.equal((await endpoint.ask(null, "GET", "/panel/api/viewer")).status, 401);
});

test("a developer reaches what is every member's and what keys need, no more; a second factor that is wanted stands before everything", async () => {
  const accountId = newUuid();
  const statuses = async (about: Parameters<typeof panelMember>[0]): Promise<number[]> =>
    Promise.all(
      [...NEEDS_OF_TEAMS, ...NEEDS].map(
        async (needs) =>
          (await endpoint.ask(panelMember(about), "GET", `/panel/api/${needs}`)).status,
      ),
    );
  assert.deepEqual(
    await statuses({ accountId, role: "developer" }),
    [200, 200, 200, 200, 403, 403, 403, 404],
  );
  assert.deepEqual(
    await statuses({ accountId, role: "developer", looksOnly: true }),
    [200, 200, 403, 200, 403, 403, 403, 404],
    "of a blocked account",
  );
  assert.deepEqual(
    await statuses({ accountId, role: "viewer" }),
    [200, 200, 403, 200, 200, 403, 403, 404],
  );
  assert.deepEqual(
    await statuses({ accountId, role: "manager" }),
    [200, 200, 200, 200, 200, 200, 403, 404],
  );
  assert.deepEqual(
    await statuses({ accountId, role: "owner", operator: true, stage: "enrol" }),
    [200, 403, 403, 200, 403, 403, 403, 403],
  );
});

test("what changes something is taken from our own pages only", async () => {
  const member = panelMember({ accountId: newUuid() });
  assert.equal((await endpoint.ask(member, "POST", "/panel/api/viewer")).status, 200);
  const sent = async (headers: Record<string, string>): Promise<number> =>
    (
      await fetch(`${endpoint.url}/panel/api/viewer`, {
        method: "POST",
        headers: { "x-test-member": member.memberId, ...headers },
      })
    ).status;
  assert.equal(await sent({ "sec-fetch-site": "same-origin", origin: endpoint.url }), 200);
  for (const headers of [
    {},
    { origin: "null" },
    { origin: "https://evil.example" },
    { origin: "https://evil.example", "sec-fetch-site": "same-origin" },
    { "sec-fetch-site": "cross-site", origin: endpoint.url },
    { "sec-fetch-site": "same-site" },
    { "sec-fetch-site": "none" },
  ] as Record<string, string>[]) {
    assert.equal(await sent(headers), 403, JSON.stringify(headers));
  }
});

test("an operator who sees as a customer is shown what says that it is, and nothing else", () => {
  const seen = panelMember({
    accountId: newUuid(),
    role: "viewer",
    seeing: { until: new Date() },
  });
  for (const needs of [...NEEDS, ...NEEDS_OF_TEAMS])
    assert.throws(
      () => checkMemberAccess(seen, needs),
      (error) => error instanceof Fault && error.details.reason === "seeing_as",
      needs,
    );
  checkMemberAccess(seen, "viewer", true);
  assert.throws(
    () => checkMemberAccess(seen, "manager", true),
    "with no more than a viewer's role",
  );
  assert.throws(() => checkMemberAccess(seen, "operator", true));
});
