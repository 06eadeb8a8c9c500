/**
 * Protects: `sslmode` is what libpq says it is, against a real PostgreSQL with TLS, one that
 * insists on it, and one without.
 */
import assert from "node:assert/strict";
import { after, before, suite, test } from "node:test";
import { Client } from "pg";
import { hasOpenSsl } from "../../test/support/test-authority.ts";
import { startTlsCluster, type TlsCluster } from "../../test/support/tls-cluster.ts";
import { firstThatConnects, sslTries } from "./ssl-mode.ts";

/**
 * Whether the connection that an address leads to is encrypted; what it was refused with otherwise.
 */
async function encryption(address: string): Promise<boolean | string> {
  let encrypted = false;
  const connects = async (url: string): Promise<void> => {
    const client = new Client({ connectionString: url });
    client.on("error", () => undefined);
    await client.connect();
    const { rows } = await client.query<{ ssl: boolean }>(
      "SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()",
    );
    encrypted = rows[0]?.ssl === true;
    await client.end();
  };
  try {
    await firstThatConnects(sslTries(address), connects);
    return encrypted;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

suite("sslmode", { skip: hasOpenSsl() ? false : "openssl is not installed" }, () => {
  let free: TlsCluster;
  let strict: TlsCluster;
  let bare: TlsCluster;
  before(async () => {
    [free, strict, bare] = await Promise.all([
      startTlsCluster({ ssl: true, access: "host all all 127.0.0.1/32 trust\n" }),
      startTlsCluster({ ssl: true, access: "hostssl all all 127.0.0.1/32 trust\n" }),
      startTlsCluster({ ssl: false, access: "host all all 127.0.0.1/32 trust\n" }),
    ]);
  });
  after(() => Promise.all([free, strict, bare].map((cluster) => cluster.stop())));

  const NO_ENCRYPTION = /no encryption/;
  const NO_TLS = /does not support SSL/;
  /** Mode by mode: with TLS at will, insisted on, and without it. */
  const TABLE: readonly (readonly [mode: string, boolean, boolean | RegExp, boolean | RegExp])[] = [
    ["disable", false, NO_ENCRYPTION, false],
    ["allow", false, true, false],
    ["prefer", true, true, false],
    ["require", true, true, NO_TLS],
    ["no-verify", true, true, NO_TLS],
    ["require&uselibpqcompat=true", true, true, NO_TLS],
  ];

  for (const [mode, ...expected] of TABLE) {
    test(`${mode} encrypts where it should, and looks at no certificate`, async () => {
      for (const [i, cluster] of [free, strict, bare].entries()) {
        const found = await encryption(`${cluster.address("127.0.0.1")}?sslmode=${mode}`);
        const wanted = expected[i];
        if (wanted instanceof RegExp) assert.match(String(found), wanted);
        else assert.equal(found, wanted, `server ${i}`);
      }
    });
  }

  test("verify-ca looks at the authority alone, verify-full at the host too, and require with an authority is verify-ca", async () => {
    for (const mode of ["verify-ca", "require"]) {
      for (const host of ["localhost", "127.0.0.1"] as const) {
        assert.equal(
          await encryption(`${free.address(host)}?sslmode=${mode}&sslrootcert=${free.authority}`),
          true,
          `${mode} ${host}`,
        );
        assert.match(
          String(
            await encryption(`${free.address(host)}?sslmode=${mode}&sslrootcert=${free.stranger}`),
          ),
          /certificate|self.signed/,
        );
      }
    }
    assert.equal(
      await encryption(`${free.address()}?sslmode=verify-full&sslrootcert=${free.authority}`),
      true,
    );
    const otherHost = await encryption(
      `${free.address("127.0.0.1")}?sslmode=verify-full&sslrootcert=${free.authority}`,
    );
    assert.match(String(otherHost), /does not match certificate/);
    for (const rest of ["", "&sslrootcert=system"])
      assert.match(
        String(await encryption(`${free.address()}?sslmode=verify-full${rest}`)),
        /certificate/,
      );
  });

  test("an address without sslmode stays as it is, a socket is never encrypted, and what proves nothing is refused", () => {
    const address = "postgresql://a:p%40ss@db.example/c?application_name=x%20y";
    assert.deepEqual(sslTries(address), [address]);
    const socket = "postgresql:///tollgate?host=/run/postgresql&user=tollgate";
    assert.deepEqual(sslTries(`${socket}&sslmode=require`), [
      `${socket}&sslmode=disable`
        .replace("host=/run/", "host=%2Frun%2F")
        .replace("%2Fpostgresql", "%2Fpostgresql"),
    ]);
    assert.throws(
      () => sslTries(`${address}&sslmode=verify-ca`),
      /^Error: sslmode=verify-ca needs the certificate of its authority: &sslrootcert=FILE$/,
    );
    assert.throws(
      () => sslTries(`${address}&sslmode=verify-ca&sslrootcert=system`),
      /use sslmode=verify-full$/,
    );
    assert.throws(
      () => sslTries(`${address}&sslmode=on`),
      /^Error: sslmode: one of disable, allow, .* is expected, not "on"$/,
    );
  });
});
