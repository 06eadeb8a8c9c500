/**
 * An authenticator in software: makes one passkey (ES256) and signs with it as WebAuthn says, and lies
 * where a test wants it to.
 */
import { createHash, generateKeyPairSync, randomBytes, sign } from "node:crypto";
import type {
  PasskeyAssertion,
  PasskeyCreated,
  PasskeyCreation,
  PasskeyRequest,
} from "../../src/contract/panel/passkeys.ts";

/** What it says in place of the truth. */
export interface Lies {
  readonly origin?: string;
  readonly rpId?: string;
  readonly type?: string;
  readonly challenge?: string;
  readonly verified?: boolean;
  readonly present?: boolean;
  readonly counter?: number;
  readonly userHandle?: string;
  /** Certificates of its maker, which nothing asked for. */
  readonly attested?: boolean;
  readonly signature?: Buffer;
}

export interface SoftwareAuthenticator {
  /** Base64url. */
  readonly credentialId: string;
  create(creation: PasskeyCreation, lies?: Lies): PasskeyCreated;
  /** With the next counter. */
  sign(request: PasskeyRequest, lies?: Lies): PasskeyAssertion;
}

const PRESENT = 0x01;
const VERIFIED = 0x04;
const ATTESTED = 0x40;

/** @param counts whether it counts its signatures; passkeys that are synchronised do not. */
export function createSoftwareAuthenticator(
  origin: string,
  { counts = true, credential = randomBytes(32) }: { counts?: boolean; credential?: Buffer } = {},
): SoftwareAuthenticator {
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const credentialId = credential.toString("base64url");
  let counter = 0;
  let userHandle = "";

  const clientData = (type: string, challenge: string, lies: Lies): Buffer =>
    Buffer.from(
      JSON.stringify({
        type: lies.type ?? type,
        challenge: lies.challenge ?? challenge,
        origin: lies.origin ?? origin,
        crossOrigin: false,
      }),
    );

  function authenticatorData(rpId: string, lies: Lies, more = 0): Buffer {
    if (counts) counter += 1;
    const flags =
      (lies.present === false ? 0 : PRESENT) | (lies.verified === false ? 0 : VERIFIED) | more;
    const counted = Buffer.alloc(4);
    counted.writeUInt32BE(lies.counter ?? counter);
    return Buffer.concat([sha256(Buffer.from(lies.rpId ?? rpId)), Buffer.from([flags]), counted]);
  }

  return {
    credentialId,
    create({ rp, user, challenge }, lies = {}) {
      userHandle = user.id;
      const length = Buffer.alloc(2);
      length.writeUInt16BE(credential.length);
      const authData = Buffer.concat([
        authenticatorData(rp.id, lies, ATTESTED),
        Buffer.alloc(16),
        length,
        credential,
        coseKey(publicKey.export({ format: "jwk" })),
      ]);
      const statement =
        lies.attested === true
          ? cborMap([
              ["alg", Buffer.from([0x26])],
              ["sig", cborBytes(Buffer.alloc(70))],
              ["x5c", Buffer.concat([Buffer.from([0x81]), cborBytes(Buffer.alloc(300))])],
            ])
          : cborMap([]);
      const attestationObject = cborMap([
        ["fmt", cborText(lies.attested === true ? "packed" : "none")],
        ["attStmt", statement],
        ["authData", cborBytes(authData)],
      ]);
      return {
        id: credentialId,
        response: {
          clientDataJSON: clientData("webauthn.create", challenge, lies).toString("base64url"),
          attestationObject: attestationObject.toString("base64url"),
          transports: ["internal"],
        },
      };
    },
    sign({ rpId, challenge }, lies = {}) {
      const data = clientData("webauthn.get", challenge, lies);
      const authData = authenticatorData(rpId, lies);
      const signature =
        lies.signature ?? sign("sha256", Buffer.concat([authData, sha256(data)]), privateKey);
      return {
        id: credentialId,
        response: {
          clientDataJSON: data.toString("base64url"),
          authenticatorData: authData.toString("base64url"),
          signature: signature.toString("base64url"),
          userHandle: lies.userHandle ?? userHandle,
        },
      };
    },
  };
}

function sha256(bytes: Buffer): Buffer {
  return createHash("sha256").update(bytes).digest();
}

/** EC2, ES256, P-256 (RFC 9053 §7.1.1). */
function coseKey({ x = "", y = "" }: { readonly x?: string; readonly y?: string }): Buffer {
  const [head, ofY] = [[0xa5, 0x01, 0x02, 0x03, 0x26, 0x20, 0x01, 0x21], [0x22]];
  return Buffer.concat([
    Buffer.from(head),
    cborBytes(Buffer.from(x, "base64url")),
    Buffer.from(ofY),
    cborBytes(Buffer.from(y, "base64url")),
  ]);
}

/** Of CBOR (RFC 8949) what is needed: short texts, bytes, maps of texts. */
function cborText(text: string): Buffer {
  return Buffer.concat([Buffer.from([0x60 + text.length]), Buffer.from(text)]);
}

function cborBytes(bytes: Buffer): Buffer {
  const { length } = bytes;
  const head = length < 256 ? [0x58, length] : [0x59, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from(head), bytes]);
}

function cborMap(entries: readonly (readonly [string, Buffer])[]): Buffer {
  return Buffer.concat([
    Buffer.from([0xa0 + entries.length]),
    ...entries.flatMap(([name, value]) => [cborText(name), value]),
  ]);
}
