/**
 * Guards the endpoint: only a live key of ours opens it, a refusal names the kind of thing sent and
 * repeats none of it (contract §3).
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { crc32 } from "node:zlib";
import { keyRecord } from "../../../test/support/key-record.ts";
import { Fault } from "../../kernel/faults.ts";
import { newOpaqueToken } from "../../kernel/opaque-token.ts";
import { hashKeySecret, maskKeySecret, newKeySecret } from "../../kernel/secrets.ts";
import type { KeyRecord } from "../../keys/key-record.ts";
import { checkKeyAccess, createAuthenticator } from "./authenticate.ts";

function record(secret: string, more: Partial<KeyRecord> = {}): KeyRecord {
  const names = { hash: hashKeySecret(secret), mask: maskKeySecret(secret), name: "k" };
  return keyRecord({ ...names, ...more });
}

/** A header's UTF-8 bytes as node:http hands them over. */
const asNodeReads = (text: string): string => Buffer.from(text).toString("latin1");

/** An authenticator over keys in memory, with a clock that stands still unless moved. */
function stage(options: { cacheLimit?: number } = {}) {
  const stored = new Map<string, KeyRecord>();
  const reads: string[] = [];
  const time = { ms: 1_000_000 };
  let gate: Promise<void> | null = null;
  const authenticator = createAuthenticator({
    findKey: async (hash) => {
      reads.push(hash);
      const found = stored.get(hash) ?? null;
      if (gate !== null) await gate;
      return found;
    },
    clock: { now: () => new Date(time.ms), monotonicMs: () => time.ms },
    ...options,
  });
  return {
    authenticator,
    stored,
    reads,
    time,
    store(secret: string, more: Partial<KeyRecord> = {}): KeyRecord {
      const key = record(secret, more);
      stored.set(key.hash, key);
      return key;
    },
    hold(): () => void {
      const { promise, resolve } = Promise.withResolvers<void>();
      gate = promise;
      return () => {
        gate = null;
        resolve();
      };
    },
  };
}

async function refusal(answer: KeyRecord | Promise<KeyRecord>): Promise<Fault> {
  const thrown = await Promise.resolve(answer).then(
    () => null,
    (error: unknown) => error,
  );
  assert.ok(thrown instanceof Fault);
  return thrown;
}

test("x-api-key and Authorization: Bearer are equivalent, in any case of the scheme", async () => {
  const { authenticator, store } = stage();
  const secret = newKeySecret();
  const key = store(secret);
  for (const headers of [
    { "x-api-key": secret },
    { "x-api-key": ` ${secret} ` },
    { authorization: `Bearer ${secret}` },
    { authorization: `bearer  ${secret}` },
    { "x-api-key": secret, authorization: `Bearer ${secret}` },
  ]) {
    assert.equal((await authenticator.authenticate(headers)).keyId, key.keyId);
    assert.equal((await authenticator.authenticateFresh(headers)).keyId, key.keyId);
  }
});

test("secrets that look alike, mask and all, are two identities, also remembered (hazards §207)", async () => {
  const { authenticator, store } = stage();
  const [mine, twin] = twinSecrets();
  assert.equal(maskKeySecret(mine), maskKeySecret(twin));
  const key = store(mine);
  const idOf = async (secret: string): Promise<string> =>
    (await authenticator.authenticate({ "x-api-key": secret })).keyId;
  assert.equal(await idOf(mine), key.keyId);
  const refused = await refusal(authenticator.authenticate({ "x-api-key": twin }));
  assert.equal(refused.code, "invalid_api_key");
  assert.equal(await idOf(mine), key.keyId);
  // Of a hash that begins alike nothing is known either.
  const other = stage();
  const [one, two] = [other.store(mine), other.store(twin)];
  for (let round = 0; round < 2; round++)
    for (const [secret, expected] of [
      [mine, one],
      [twin, two],
    ] as const) {
      const found = await other.authenticator.authenticate({ "x-api-key": secret });
      assert.equal(found.keyId, expected.keyId);
    }
});

/** Two good secrets that differ in the middle only, by the birthdays of their last letters. */
function twinSecrets(): readonly [string, string] {
  const seen = new Map<string, string>();
  for (let number = 0; ; number += 1) {
    const random = `TWIN${String(number).padStart(28, "0")}`;
    const secret = `tg_live_${random}${checksumOf(random)}`;
    const twin = seen.get(secret.slice(-4));
    if (twin !== undefined) return [twin, secret];
    seen.set(secret.slice(-4), secret);
  }
}

/** As a secret ends: the CRC-32 in six letters of base62. */
function checksumOf(random: string): string {
  const letters = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
  let text = "";
  for (let rest = crc32(random); text.length < 6; rest = Math.floor(rest / 62))
    text = letters.charAt(rest % 62) + text;
  return text;
}

test("of two headers the one with a key of ours counts; two different valid keys are a 400", async () => {
  const { authenticator, store } = stage();
  const [mine, other, gone] = [newKeySecret(), newKeySecret(), newKeySecret()];
  const key = store(mine);
  store(other);
  store(gone, { deletedAt: new Date(0) });
  for (const stray of [
    "sk-ant-api03-something",
    newKeySecret(),
    maskKeySecret(mine),
    hashKeySecret(mine),
    gone,
    "",
    "x",
  ]) {
    assert.equal(
      (await authenticator.authenticate({ "x-api-key": mine, authorization: `Bearer ${stray}` }))
        .keyId,
      key.keyId,
    );
    assert.equal(
      (await authenticator.authenticate({ "x-api-key": stray, authorization: `Bearer ${mine}` }))
        .keyId,
      key.keyId,
    );
  }
  assert.equal(
    (await authenticator.authenticate({ "x-api-key": mine, authorization: "Basic dXNlcjpwYXNz" }))
      .keyId,
    key.keyId,
  );
  const fault = await refusal(
    authenticator.authenticate({ "x-api-key": mine, authorization: `Bearer ${other}` }),
  );
  assert.deepEqual([fault.status, fault.code], [400, "invalid_request"]);
});

test("each wrong kind of credential is a 401 that names the kind, and repeats nothing of it", async () => {
  const { authenticator, store, reads } = stage();
  const secret = newKeySecret();
  store(secret);
  const typo = secret.slice(0, 20) + (secret[20] === "a" ? "b" : "a") + secret.slice(21);
  const jwt = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N";
  const rows: [Record<string, string | string[]>, RegExp][] = [
    [{}, /No API key was sent/],
    [{ "x-api-key": "", authorization: "Bearer " }, /No API key was sent/],
    [{ cookie: "session=abcdefgh" }, /cookie/],
    [{ authorization: "Basic dXNlcjpwYXNz" }, /not of the Bearer scheme/],
    [{ authorization: secret }, /not of the Bearer scheme/],
    [{ authorization: `Bearer ${typo}` }, /mistyped/],
    [{ "x-api-key": maskKeySecret(secret) }, /mask/],
    [{ "x-api-key": maskKeySecret(secret).replace("…", "...") }, /mask/],
    [{ "x-api-key": asNodeReads(maskKeySecret(secret)) }, /mask/],
    [{ authorization: `Bearer ${asNodeReads(maskKeySecret(secret))}` }, /mask/],
    [{ "x-api-key": hashKeySecret(secret) }, /hash/],
    [{ "x-api-key": hashKeySecret(secret).toUpperCase() }, /hash/],
    [{ "x-api-key": secret.slice(0, -1) }, /not whole/],
    [{ "x-api-key": `${secret}, ${secret}` }, /not whole/],
    [{ "x-api-key": [secret, secret] }, /No API key was sent/],
    [{ authorization: "Bearer tg_session_0123456789abcdef" }, /panel/],
    [{ authorization: `Bearer ${newOpaqueToken()}` }, /session token of the panel/],
    [{ "x-api-key": `tollgate_session=${newOpaqueToken()}` }, /session token of the panel/],
    [{ authorization: `Bearer ${jwt}` }, /JWT/],
    [{ authorization: "Bearer sk-proj-0123456789abcdef" }, /another service/],
    [{ authorization: "Bearer whatever-this-is" }, /not an API key of this gateway/],
    [{ "x-api-key": "whatever-this-is", authorization: `Bearer ${maskKeySecret(secret)}` }, /mask/],
  ];
  for (const [headers, message] of rows) {
    const fault = await refusal(authenticator.authenticate(headers));
    assert.deepEqual([fault.status, fault.code], [401, "invalid_api_key"]);
    assert.match(fault.message, message, JSON.stringify(headers));
    for (const sent of Object.values(headers).flat()) {
      for (const part of sent.split(/[\s,=]+/).filter((text) => text.length > 6))
        assert.ok(!fault.message.includes(part), fault.message);
    }
  }
  assert.deepEqual(reads, [], "none of these needs the database");
});

test("unknown, deleted and expired keys are 401s that say which, on both paths", async () => {
  const { authenticator, store, time } = stage();
  const [deleted, expired, unknown] = [newKeySecret(), newKeySecret(), newKeySecret()];
  store(deleted, { deletedAt: new Date(0) });
  store(expired, { expiresAt: new Date(time.ms) });
  for (const find of [authenticator.authenticate, authenticator.authenticateFresh]) {
    for (const [secret, message] of [
      [deleted, /was deleted/],
      [expired, /has expired/],
      [unknown, /no such API key/],
    ] as const) {
      const fault = await refusal(find({ "x-api-key": secret }));
      assert.equal(fault.code, "invalid_api_key");
      assert.match(fault.message, message);
      assert.ok(!fault.message.includes(secret));
    }
  }
  assert.match(
    (
      await refusal(
        authenticator.authenticate({ "x-api-key": unknown, authorization: `Bearer ${deleted}` }),
      )
    ).message,
    /was deleted/,
  );
});

test("a key that was stopped works as soon as it is let go on, though no notification came", async () => {
  const { authenticator, store, reads } = stage();
  const secret = newKeySecret();
  const stopped = [{ frozenAt: new Date(0) }, { deletedAt: new Date(0) }, { accountBlocked: true }];
  for (const more of stopped) {
    store(secret, more);
    await refusal(authenticator.authenticate({ "x-api-key": secret }));
    store(secret);
    assert.equal(
      (await authenticator.authenticate({ "x-api-key": secret })).frozenAt ?? null,
      null,
    );
    authenticator.forgetAll();
  }
  assert.equal(reads.length, 2 * stopped.length);
});

test("a key from memory expires at its time", async () => {
  const { authenticator, store, time } = stage();
  const secret = newKeySecret();
  store(secret, { expiresAt: new Date(time.ms + 10) });
  await authenticator.authenticate({ "x-api-key": secret });
  time.ms += 10;
  assert.match(
    (await refusal(authenticator.authenticate({ "x-api-key": secret }))).message,
    /has expired/,
  );
});

test("the chat path reads a key once; the exact path reads it every time", async () => {
  const { authenticator, store, reads } = stage();
  const secret = newKeySecret();
  store(secret);
  for (let index = 0; index < 3; index++) await authenticator.authenticate({ "x-api-key": secret });
  assert.equal(reads.length, 1);
  for (let index = 0; index < 3; index++)
    await authenticator.authenticateFresh({ "x-api-key": secret });
  assert.equal(reads.length, 4);
});

test("a deleted key is refused by the exact path at once, and by memory when it is told or a minute has passed", async () => {
  for (const learn of ["forget", "forgetAll", "wait"] as const) {
    const { authenticator, store, time } = stage();
    const secret = newKeySecret();
    const key = store(secret);
    await authenticator.authenticate({ "x-api-key": secret });
    store(secret, { deletedAt: new Date(0) });
    assert.equal(
      (await refusal(authenticator.authenticateFresh({ "x-api-key": secret }))).code,
      "invalid_api_key",
    );
    if (learn === "forget") authenticator.forget(key.hash);
    else if (learn === "forgetAll") authenticator.forgetAll();
    else time.ms += 60_000;
    assert.match(
      (await refusal(authenticator.authenticate({ "x-api-key": secret }))).message,
      /was deleted/,
      learn,
    );
  }
});

test("a key that is forgotten while it is read is not remembered", async () => {
  const { authenticator, store, hold, reads } = stage();
  const secret = newKeySecret();
  const key = store(secret);
  const open = hold();
  const early = authenticator.authenticate({ "x-api-key": secret });
  authenticator.forget(key.hash);
  store(secret, { deletedAt: new Date(0) });
  open();
  await early; // read before the deletion; its hold is refused by the ledger
  assert.match(
    (await refusal(authenticator.authenticate({ "x-api-key": secret }))).message,
    /was deleted/,
  );
  assert.equal(reads.length, 2);
});

test("what is remembered with an account's keys is read anew when the account changes, also where a read was under way", async () => {
  const { authenticator, store, hold, reads } = stage();
  const [secret, second, stranger] = [newKeySecret(), newKeySecret(), newKeySecret()];
  const { accountId } = store(secret);
  store(second, { accountId });
  store(stranger);
  const ask = () =>
    Promise.all(
      [secret, second, stranger].map(async (each) =>
        authenticator.authenticate({ "x-api-key": each }),
      ),
    );
  await ask();
  authenticator.forgetAccount(accountId);
  const open = hold();
  const early = ask();
  assert.equal(reads.length, 5, "the stranger is still known");
  authenticator.forgetAccount(accountId);
  open();
  await early;
  await ask();
  assert.equal(reads.length, 7);
});

test("requests at the same time share one read, and a new key works at once after it was unknown", async () => {
  const { authenticator, store, hold, reads } = stage();
  const secret = newKeySecret();
  const open = hold();
  const early = Array.from({ length: 20 }, () =>
    refusal(authenticator.authenticate({ "x-api-key": secret })),
  );
  open();
  await Promise.all(early);
  assert.equal(reads.length, 1);
  const key = store(secret);
  assert.equal((await authenticator.authenticate({ "x-api-key": secret })).keyId, key.keyId);
});

test("the memory is bounded: the longest unread key goes first", async () => {
  const { authenticator, store, reads } = stage({ cacheLimit: 2 });
  const secrets = [newKeySecret(), newKeySecret(), newKeySecret()];
  for (const secret of secrets) store(secret);
  for (const secret of secrets) await authenticator.authenticate({ "x-api-key": secret });
  assert.equal(reads.length, 3);
  await authenticator.authenticate({ "x-api-key": secrets[2] ?? "" });
  await authenticator.authenticate({ "x-api-key": secrets[1] ?? "" });
  assert.equal(reads.length, 3);
  await authenticator.authenticate({ "x-api-key": secrets[0] ?? "" });
  assert.equal(reads.length, 4);
});

test("a read that fails is not remembered as an answer", async () => {
  let broken = true;
  const secret = newKeySecret();
  const authenticator = createAuthenticator({
    findKey: async () => {
      if (broken) throw new Fault("overloaded");
      return record(secret);
    },
    clock: { now: () => new Date(0), monotonicMs: () => 0 },
  });
  assert.equal(
    (await refusal(authenticator.authenticate({ "x-api-key": secret }))).code,
    "overloaded",
  );
  broken = false;
  await authenticator.authenticate({ "x-api-key": secret });
});

/** What the store has of these hashes, and how often it was asked. */
function refreshing({
  authenticator,
  stored,
}: Pick<ReturnType<typeof stage>, "authenticator" | "stored">) {
  const asked: (readonly string[])[] = [];
  const refresh = () =>
    authenticator.refresh(async (hashes) => {
      asked.push(hashes);
      return hashes.flatMap((hash) => stored.get(hash) ?? []);
    });
  return { asked, refresh };
}

test("keys that are used are read anew together before they are too old, and no request waits", async () => {
  const scene = stage();
  const { authenticator, store, reads, time } = scene;
  const { asked, refresh } = refreshing(scene);
  const secrets = [newKeySecret(), newKeySecret()];
  const hashes = secrets.map((secret) => store(secret).hash);
  for (const secret of secrets) await authenticator.authenticate({ "x-api-key": secret });
  time.ms += 19_999;
  await refresh();
  assert.deepEqual(asked, [], "they are young");
  time.ms += 1;
  await refresh();
  await refresh();
  assert.deepEqual(asked, [hashes]);
  for (const secret of secrets) {
    const changed = store(secret, { name: "changed" });
    time.ms += 59_999;
    const { keyId } = await authenticator.authenticate({ "x-api-key": secret });
    assert.notEqual(keyId, changed.keyId, "from memory");
    await refresh();
    const key = authenticator.authenticate({ "x-api-key": secret });
    assert.ok(!(key instanceof Promise), "nothing to wait for");
    assert.equal(key.keyId, changed.keyId, "as it is now");
  }
  assert.equal(reads.length, secrets.length);
});

test("a key that was not used for ten minutes is read when it is used again", async () => {
  const scene = stage();
  const { authenticator, store, reads, time } = scene;
  const { asked, refresh } = refreshing(scene);
  const secret = newKeySecret();
  store(secret);
  await authenticator.authenticate({ "x-api-key": secret });
  time.ms += 20_000;
  await refresh();
  await authenticator.authenticate({ "x-api-key": secret }); // from memory, and that is a use, too
  for (let minute = 1; minute < 10; minute++) {
    time.ms += 60_000;
    await refresh();
  }
  time.ms += 59_999;
  await refresh();
  assert.equal(asked.length, 11);
  time.ms += 20_000;
  await refresh();
  time.ms += 40_000;
  await refresh();
  assert.equal(asked.length, 11);
  await authenticator.authenticate({ "x-api-key": secret });
  assert.equal(reads.length, 2);
});

test("of a key that was deleted, stopped or forgotten while it is read anew nothing is remembered", async () => {
  const secret = newKeySecret();
  for (const became of ["gone", "deleted", "frozen", "forgotten"] as const) {
    const { authenticator, store, stored, reads, time } = stage();
    const key = store(secret);
    await authenticator.authenticate({ "x-api-key": secret });
    time.ms += 20_000;
    await authenticator.refresh(async () => {
      if (became === "gone") stored.delete(key.hash);
      if (became === "deleted") store(secret, { deletedAt: new Date(0) });
      if (became === "frozen") store(secret, { frozenAt: new Date(0) });
      if (became === "forgotten") authenticator.forget(key.hash);
      return became === "forgotten" ? [key] : [...stored.values()];
    });
    await Promise.resolve(authenticator.authenticate({ "x-api-key": secret })).catch(() => {});
    assert.equal(reads.length, 2, became);
  }
});

test("where reading anew fails, keys stay until they are too old", async () => {
  const { authenticator, store, reads, time } = stage();
  const secret = newKeySecret();
  store(secret);
  await authenticator.authenticate({ "x-api-key": secret });
  time.ms += 20_000;
  await assert.rejects(
    authenticator.refresh(() => Promise.reject(new Fault("overloaded"))),
    Fault,
  );
  await authenticator.authenticate({ "x-api-key": secret });
  assert.equal(reads.length, 1);
  time.ms += 40_000;
  await authenticator.authenticate({ "x-api-key": secret });
  assert.equal(reads.length, 2);
});

test("a key's lists of models and addresses are kept: anything else is a 403", () => {
  const secret = newKeySecret();
  const anywhere = { ip: "203.0.113.9" };
  checkKeyAccess(record(secret), { ...anywhere, model: "m" });
  const listed = record(secret, { models: ["m"], ips: ["10.0.0.0/8"] });
  checkKeyAccess(listed, { model: "m", ip: "10.1.1.1" });
  checkKeyAccess(listed, { ip: "::ffff:10.1.1.1" });
  for (const request of [
    { model: "n", ip: "10.1.1.1" },
    { model: "m", ip: "203.0.113.9" },
    { model: "m", ip: "" },
  ]) {
    assert.throws(
      () => checkKeyAccess(listed, request),
      (error) => error instanceof Fault && error.code === "permission_denied",
    );
  }
});

test("a key limited to models may call a family id when it lists that id or the model behind it", () => {
  const asked = { model: "large", modelRequested: "claude-opus-4-5", ip: "203.0.113.9" };
  for (const models of [["large"], ["claude-opus-4-5"], ["other", "claude-opus-4-5"]]) {
    checkKeyAccess(record(newKeySecret(), { models }), asked);
  }
  for (const models of [["claude-opus"], ["Large"], []]) {
    assert.throws(
      () => checkKeyAccess(record(newKeySecret(), { models }), asked),
      (error) =>
        error instanceof Fault &&
        error.code === "permission_denied" &&
        error.message.includes("claude-opus-4-5"),
    );
  }
  // The other way round is not allowed: a family may be mapped to a dearer model tomorrow, its key
  // must not call that one by name today.
  assert.throws(
    () =>
      checkKeyAccess(record(newKeySecret(), { models: ["claude-opus-4-5"] }), {
        model: "large",
        ip: "203.0.113.9",
      }),
    Fault,
  );
});
