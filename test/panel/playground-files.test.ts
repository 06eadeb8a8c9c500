/**
 * Guarantee: members see, upload and delete the files of their own account only, and its webhook
 * secret is shown once, to its owners.
 */
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { after, before, test } from "node:test";
import { createMistakeFinder } from "../../src/contract/find-mistakes.ts";
import { PanelFile, PanelFileList } from "../../src/contract/panel/panel-file.ts";
import type { PanelErrorBody } from "../../src/contract/panel/panel-error.ts";
import { TaskWebhookSecret, TaskWebhookSecretRolled } from "../../src/contract/panel/panel-task.ts";
import { showWebhookSecret } from "../../src/serving/tasks/webhook-secret.ts";
import { panelMember } from "../support/panel-endpoint.ts";
import {
  newPlaygroundAccount,
  openPlaygroundEndpoint,
  type PlaygroundEndpoint,
} from "./playground-endpoint.ts";

const UPLOAD = "/panel/api/playground/files";
const FILES = "/panel/api/files";
const SECRET = "/panel/api/webhook-secret";

let endpoint: PlaygroundEndpoint;
before(async () => {
  endpoint = await openPlaygroundEndpoint();
});
after(() => endpoint.close());

function form(bytes: Uint8Array<ArrayBuffer>, name = "file"): FormData {
  const sent = new FormData();
  sent.set(name, new Blob([bytes]), "notes.bin");
  return sent;
}

test("an upload of a session is a file of its account, listed there and in the API, and deleted by those who manage", async () => {
  const account = await newPlaygroundAccount(endpoint.db);
  const member = panelMember({ ...account, role: "manager" });
  const viewer = panelMember({ ...account, role: "viewer" });
  const bytes = crypto.getRandomValues(new Uint8Array(50_000));
  const answer = await endpoint.panel.ask(member, "POST", UPLOAD, form(bytes));
  assert.equal(answer.status, 201, answer.text);
  const file = answer.json<PanelFile>();
  assert.deepEqual(createMistakeFinder(PanelFile)(file), []);
  assert.deepEqual([file.bytes, file.fileName, file.preview], [50_000, "notes.bin", "none"]);

  const list = (await endpoint.panel.ask(viewer, "GET", FILES)).json<PanelFileList>();
  assert.deepEqual(createMistakeFinder(PanelFileList)(list), []);
  assert.deepEqual(
    list.data.map(({ name, origin }) => [name, origin]),
    [[file.name, "upload"]],
  );
  const ofApi = await endpoint.api.get("/v1/storage/files", { "x-api-key": account.secret });
  const [same] = ofApi.json<{ data: { files: { name: string; sha256: string }[] } }>().data.files;
  assert.deepEqual(
    [same?.name, same?.sha256],
    [file.name, createHash("sha256").update(bytes).digest("hex")],
  );

  const stranger = panelMember({ accountId: (await newPlaygroundAccount(endpoint.db)).accountId });
  assert.deepEqual(
    (await endpoint.panel.ask(stranger, "GET", FILES)).json<PanelFileList>().data,
    [],
  );
  const foreign = await endpoint.panel.ask(stranger, "DELETE", `${FILES}/${file.name}`);
  const never = await endpoint.panel.ask(stranger, "DELETE", `${FILES}/${"0".repeat(32)}.png`);
  assert.deepEqual([foreign.status, never.status], [404, 404]);
  assert.equal(
    foreign.json<PanelErrorBody>().error.message,
    never.json<PanelErrorBody>().error.message,
  );
  assert.equal((await endpoint.panel.ask(viewer, "DELETE", `${FILES}/${file.name}`)).status, 403);
  const deleted = await endpoint.panel.ask(member, "DELETE", `${FILES}/${file.name}`);
  assert.deepEqual([deleted.status, deleted.json()], [200, {}]);
  assert.deepEqual((await endpoint.panel.ask(member, "GET", FILES)).json<PanelFileList>().data, []);
});

test("an upload keeps to the rules of the API's", async () => {
  const account = await newPlaygroundAccount(endpoint.db);
  const member = panelMember(account);
  const limit = endpoint.api.useCases.uploadLimitBytes;
  const refused = async (body: unknown, headers = {}): Promise<readonly [number, string]> => {
    const answer = await endpoint.panel.ask(member, "POST", UPLOAD, body, headers);
    return [answer.status, answer.json<PanelErrorBody>().error.code];
  };
  assert.deepEqual(await refused({}), [400, "invalid_request"]);
  assert.deepEqual(await refused({}, { "content-encoding": "gzip" }), [
    415,
    "unsupported_media_type",
  ]);
  assert.deepEqual(await refused(form(new Uint8Array(limit + 1))), [413, "request_too_large"]);
  assert.deepEqual(await refused(form(new Uint8Array(10), "photo")), [400, "invalid_request"]);
  assert.deepEqual((await endpoint.panel.ask(member, "GET", FILES)).json<PanelFileList>().data, []);
});

test("the webhook secret is not made by a look, is masked to those who manage, and whole to an owner at its change", async () => {
  const account = await newPlaygroundAccount(endpoint.db);
  const owner = panelMember(account);
  const manager = panelMember({ ...account, role: "manager" });
  const show = async (): Promise<TaskWebhookSecret> => {
    const answer = await endpoint.panel.ask(manager, "GET", SECRET);
    assert.deepEqual(createMistakeFinder(TaskWebhookSecret)(answer.json()), []);
    return answer.json<TaskWebhookSecret>();
  };
  assert.deepEqual(await show(), { masked: null, madeAt: null, previousUntil: null });
  assert.deepEqual(await show(), { masked: null, madeAt: null, previousUntil: null });
  assert.equal(
    (await endpoint.panel.ask(panelMember({ ...account, role: "viewer" }), "GET", SECRET)).status,
    403,
  );
  assert.equal((await endpoint.panel.ask(manager, "POST", `${SECRET}/roll`, {})).status, 403);

  const roll = async (body: object): Promise<TaskWebhookSecretRolled> => {
    const rolled = (
      await endpoint.panel.ask(owner, "POST", `${SECRET}/roll`, body)
    ).json<TaskWebhookSecretRolled>();
    assert.deepEqual(createMistakeFinder(TaskWebhookSecretRolled)(rolled), []);
    return rolled;
  };
  const first = await roll({});
  assert.equal(first.previousUntil, null);
  const second = await roll({});
  assert.notEqual(second.secret, first.secret);
  assert.ok(Date.parse(second.previousUntil ?? "") > Date.now());
  const kept = await showWebhookSecret(endpoint.secrets, account.accountId);
  assert.deepEqual([kept?.secret, kept?.previous], [second.secret, first.secret]);
  const shown = await show();
  assert.equal(shown.masked, `${second.secret.slice(0, 10)}…${second.secret.slice(-4)}`);
  assert.deepEqual([shown.madeAt, shown.previousUntil], [second.madeAt, second.previousUntil]);
  assert.equal((await roll({ now: true })).previousUntil, null);
  assert.equal(
    (await endpoint.panel.ask(owner, "POST", `${SECRET}/roll`, { now: "yes" })).status,
    400,
  );
});
