/** `${NAME}` in a text becomes the value of an environment variable. */

export type Environment = Readonly<Record<string, string | undefined>>;

export type Interpolation = { readonly ok: true; readonly text: string } | { readonly ok: false; readonly problems: readonly string[] };

const REFERENCE = /\$\{([^}]*)\}?/g;
const NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;

export function isEnvironmentName(text: string): boolean {
  return NAME.test(text);
}

export function hasReference(text: string): boolean {
  return text.includes("${");
}

/** A variable that is not set, or empty, is a problem: an address with a hole in it is worse than none. */
export function interpolate(text: string, env: Environment): Interpolation {
  const problems: string[] = [];
  const replaced = text.replaceAll(REFERENCE, (whole, name: string) => {
    if (!whole.endsWith("}") || !NAME.test(name)) {
      problems.push(`"${whole}" is not a reference to an environment variable; write it as \${NAME}`);
      return "";
    }
    const value = env[name]?.trim() ?? "";
    if (value === "") problems.push(`the environment variable ${name} is not set`);
    return value;
  });
  return problems.length > 0 ? { ok: false, problems } : { ok: true, text: replaced };
}
