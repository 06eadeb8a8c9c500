/**
 * Makes an upstream's words fit for a caller: one bounded line without credentials, accounts or
 * addresses of the operator.
 */

const LIMIT_CHARACTERS = 600;
const REMOVED = "[removed]";

/**
 * What upstreams are known to put into their errors: keys of the common makes (also half masked),
 * authorization values, tokens, account, organisation and project ids, e-mail addresses, URLs with
 * a password.
 */
const SECRETS: readonly RegExp[] = [
  /\bBearer\s+(?=\S*[\d_.-])[^\s"',;]{6,}/gi,
  /\bBasic\s+[A-Za-z0-9+/=]{16,}/gi,
  /\bhttps?:\/\/[^\s/@"']+@/gi,
  /\beyJ[\w-]{8,}\.[\w-]{8,}(?:\.[\w-]*)?/g,
  /\b(?:sk|pk|rk|gsk|xai|pplx|nvapi|fw|hf|r8|ghp|tg_live|tvly|ak|key)[-_](?=[\w*.…-]*[\d*…])[\w*.…-]{6,}/gi,
  /\bAIza[\w-]{16,}/g,
  /\b(?:org|organization|proj|project|acct|account|team|workspace|wrkspc|user|tenant)[-_](?=[A-Za-z-]*\d)[A-Za-z0-9-]{6,}/gi,
  /[\w.+-]+@[\w-]+(?:\.[\w-]+)+/g,
  /\b(?=[A-Za-z]*\d)(?=\d*[A-Za-z])[A-Za-z0-9]{32,}\b/g,
];
/**
 * `api_key=…`, `token: …` and the like; the name stays, the value goes. After a colon only what
 * looks random is taken for a value.
 */
const NAMED_SECRET =
  /\b((?:api[_-]?)?key|x-api-key|access[_-]?token|token|secret|password|authorization)(\s*=\s*|["']?\s*:\s*)(["']?)([^\s"',;&]{6,})/gi;

function redactNamed(
  all: string,
  name: string,
  sign: string,
  quote: string,
  value: string,
): string {
  const looksRandom = value.length >= 12 && /\d/.test(value) && /[A-Za-z]/.test(value);
  return sign.includes("=") || looksRandom ? `${name}${sign}${quote}${REMOVED}` : all;
}

/**
 * `limitCharacters` is a soft bound on the result; only that much of a hostile text is looked at,
 * so the work is bounded too.
 */
export function safeText(text: string, limitCharacters: number = LIMIT_CHARACTERS): string {
  // A little more than the limit is read, so that a secret that crosses it is still recognised.
  const bounded = text.slice(0, limitCharacters + 400);
  let line = bounded.replaceAll(/[\s\p{Cc}]+/gu, " ").trim();
  for (const secret of SECRETS) line = line.replaceAll(secret, REMOVED);
  line = line.replaceAll(NAMED_SECRET, redactNamed);
  return line.length > limitCharacters ? `${line.slice(0, limitCharacters - 1)}…` : line;
}
