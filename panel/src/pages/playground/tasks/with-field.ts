/** The same object with one field changed; without it where it is not given. */

export function withField(
  object: Readonly<Record<string, unknown>>,
  name: string,
  value: unknown,
): Readonly<Record<string, unknown>> {
  const { [name]: _before, ...rest } = object;
  return value === undefined ? rest : { ...rest, [name]: value };
}
