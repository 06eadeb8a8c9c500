/** Protects: on every page the menu of its own workspace is shown, and says where one is. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { sectionOf, SECTIONS, sectionsFor, TABS, workspaceOf } from "./sections.ts";

test("an address belongs to the section that it lies in, and to its workspace", () => {
  const cases = [
    ["/", "account", "overview"],
    ["/keys/0123", "account", "keys"],
    ["/models/kling-3.0/video", "account", "models"],
    ["/settings/members", "account", "settings"],
    ["/operator", "gateway", "operator-overview"],
    ["/operator/accounts/42", "gateway", "operator-accounts"],
    ["/operators", "account", undefined],
  ] as const;
  for (const [path, workspace, section] of cases) {
    assert.equal(workspaceOf(path), workspace, path);
    assert.equal(sectionOf(path, workspace)?.name, section, path);
  }
});

test("what a phone has at its edge is in the menu", () => {
  for (const workspace of ["account", "gateway"] as const) {
    const names = SECTIONS[workspace].flatMap(({ sections }) => sections.map(({ name }) => name));
    assert.ok(TABS[workspace].every((name) => names.includes(name)));
    assert.equal(new Set(names).size, names.length);
  }
});

test("a developer is shown what it finds something of its own in, everybody else everything", () => {
  const names = (role: "developer" | "viewer"): string[] =>
    sectionsFor("account", role).flatMap(({ sections }) => sections.map(({ name }) => name));
  assert.deepEqual(names("developer"), ["playground", "requests", "models", "keys", "settings"]);
  assert.deepEqual(
    names("viewer"),
    SECTIONS.account.flatMap(({ sections }) => sections.map(({ name }) => name)),
  );
});

test("who sees as a customer is shown all of a viewer's pages but the one that only spends", () => {
  const shown = (seen: boolean): string[] =>
    sectionsFor("account", "viewer", seen).flatMap(({ sections }) =>
      sections.map(({ name }) => name),
    );
  assert.deepEqual(
    shown(true),
    shown(false).filter((name) => name !== "playground"),
  );
});
