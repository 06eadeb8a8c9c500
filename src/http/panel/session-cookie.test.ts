/**
 * Guards the panel's cookies: over TLS only this very host can set and get them, and no other
 * cookie is taken for one.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  deviceCookie,
  noSessionCookie,
  readDeviceCookie,
  readSessionCookie,
  readSessionCookies,
  seeAsCookie,
  sessionCookie,
} from "./session-cookie.ts";

const TOKEN = "a".repeat(43);
const DEVICE = `${TOKEN}.${TOKEN}`;

test("over TLS the name binds the cookie to the host, and it goes over TLS alone", () => {
  assert.equal(
    sessionCookie(TOKEN, true),
    `__Host-tollgate=${TOKEN}; Path=/; Max-Age=5184000; HttpOnly; SameSite=Lax; Secure`,
  );
  assert.equal(
    deviceCookie(DEVICE, true),
    `__Host-tollgate-device=${DEVICE}; Path=/; Max-Age=34560000; HttpOnly; SameSite=Lax; Secure`,
  );
  assert.equal(
    noSessionCookie(true),
    "__Host-tollgate=; Path=/; Max-Age=0; HttpOnly; SameSite=Lax; Secure",
  );
  assert.equal(
    sessionCookie(TOKEN, false),
    `tollgate_session=${TOKEN}; Path=/; Max-Age=5184000; HttpOnly; SameSite=Lax`,
  );
});

test("the plain name is worth nothing over TLS, where another host of the domain could have set it", () => {
  assert.equal(readSessionCookie({ cookie: `tollgate_session=${TOKEN}` }, true), null);
  assert.equal(readSessionCookie({ cookie: `__Host-tollgate=${TOKEN}` }, false), null);
  assert.equal(readSessionCookie({ cookie: `x=1; __Host-tollgate=${TOKEN};y=2` }, true), TOKEN);
  assert.equal(
    readDeviceCookie(
      { cookie: `__Host-tollgate=${TOKEN}; __Host-tollgate-device=${DEVICE}` },
      true,
    ),
    DEVICE,
  );
  assert.equal(readSessionCookie({}, true), null);
});

test("two different ones are none", () => {
  const other = "b".repeat(43);
  assert.equal(
    readSessionCookie({ cookie: `tollgate_session=${TOKEN}; tollgate_session=${other}` }, false),
    null,
  );
  assert.equal(
    readSessionCookie({ cookie: `tollgate_session=${TOKEN}; tollgate_session=` }, false),
    null,
  );
  assert.equal(
    readSessionCookie({ cookie: `tollgate_session=${TOKEN}; tollgate_session=${TOKEN}` }, false),
    TOKEN,
  );
});

test("what an operator sees a customer's panel with is never taken for its absence", () => {
  const grant = `01a1a05d-0000-7000-8000-000000000000.1795000000000.${TOKEN}`;
  const read = (cookie: string, secure = false) => readSessionCookies({ cookie }, secure).seeAs;
  assert.equal(
    seeAsCookie(grant, true),
    `__Host-tollgate-see-as=${grant}; Path=/; Max-Age=5184000; HttpOnly; SameSite=Lax; Secure`,
  );
  assert.equal(read(`tollgate_see_as=${grant}; tollgate_session=${TOKEN}`), grant);
  assert.equal(read(`tollgate_session=${TOKEN}`), null);
  for (const bad of [
    "tollgate_see_as=",
    "tollgate_see_as=x",
    `tollgate_see_as=${grant}; tollgate_see_as=x`,
  ])
    assert.equal(read(bad), "", bad);
  assert.equal(read(`tollgate_see_as=${grant}`, true), null, "nothing over TLS, as the session's");
});
