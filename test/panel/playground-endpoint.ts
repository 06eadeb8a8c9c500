/**
 * The panel's routes for the playground, tasks and files over the API's own use cases, a real
 * database, and sessions that a test names.
 */
import { createAuthenticator } from "../../src/serving/admission/authenticate.ts";
import { createPanelTasks } from "../../src/business/panel/playground/panel-tasks.ts";
import { readKeyHash } from "../../src/business/panel/playground/read-key-hash.ts";
import { createTaskWebhookSecrets } from "../../src/business/panel/playground/task-webhook-secret.ts";
import { playgroundRoutes } from "../../src/http/panel/playground-routes.ts";
import { UPLOAD_PACE } from "../../src/http/sender-pace.ts";
import type { SecretsDeps } from "../../src/serving/webhooks/signing-secrets.ts";
import { systemClock } from "../../src/kernel/clock.ts";
import { createSeal } from "../../src/kernel/seal.ts";
import type { KeyRecord } from "../../src/keys/key-record.ts";
import { findKeyByHash } from "../../src/keys/store.ts";
import { openHttpEndpoint, type HttpEndpoint } from "../support/http-endpoint.ts";
import { hashOf, newAccount, newKey } from "../support/new-customer.ts";
import type { NewKeyRequest } from "../../src/business/keys/create-key.ts";
import type { Db } from "../../src/db/database.ts";
import { openPanelEndpoint, type PanelEndpoint } from "../support/panel-endpoint.ts";

export interface PlaygroundEndpoint {
  /** Of the API, over the same use cases. */
  readonly api: HttpEndpoint;
  readonly panel: PanelEndpoint;
  readonly db: Db;
  /** What webhooks are signed with. */
  readonly secrets: SecretsDeps;
  close(): Promise<void>;
}

export async function openPlaygroundEndpoint(): Promise<PlaygroundEndpoint> {
  const api = await openHttpEndpoint();
  const { db, useCases, tasks } = api;
  const secrets = { db, seal: createSeal("a secret of at least thirty-two characters") };
  const { choose } = createAuthenticator({
    findKey: (hash) => findKeyByHash(db, hash),
    clock: systemClock,
  });
  const panel = await openPanelEndpoint(
    playgroundRoutes({
      quoteChat: useCases.quoteChat,
      tasks,
      calls: {
        tasks,
        useCases,
        quoteCall: useCases.quoteCall,
        clock: systemClock,
        pace: UPLOAD_PACE,
      },
      chooseKey: async ({ accountId }, headers) => choose(readKeyHash(headers), accountId),
      panelTasks: createPanelTasks({ db, staticUrl: () => `${api.url}/static` }),
      files: useCases,
      uploads: { useCases, clock: systemClock, pace: UPLOAD_PACE },
      readStorage: async () => ({ usedBytes: 0, limitBytes: 1 }),
      webhookSecrets: createTaskWebhookSecrets(secrets),
    }),
  );
  return {
    api,
    panel,
    db,
    secrets,
    async close() {
      await panel.close();
      await api.close();
    },
  };
}

export interface PlaygroundAccount {
  readonly accountId: string;
  readonly key: KeyRecord;
  readonly secret: string;
  /** The header that chooses its key. */
  readonly chosen: Readonly<Record<string, string>>;
}

export async function newPlaygroundAccount(
  db: Db,
  roubles = "1000",
  wishes: Partial<NewKeyRequest> = {},
): Promise<PlaygroundAccount> {
  const accountId = await newAccount(db, roubles);
  const { secret, key } = await newKey(db, accountId, wishes);
  return { accountId, key, secret, chosen: { "x-tollgate-key": hashOf(secret) } };
}
