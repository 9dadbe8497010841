export type QueryValue = string | number | boolean | null | undefined;
export type QueryValues = Readonly<Record<string, QueryValue>>;

/** Drops empty, null and undefined values; the others become trimmed text. */
export function cleanQuery(values: QueryValues | undefined): Record<string, string> {
  const clean: Record<string, string> = {};
  for (const [key, value] of Object.entries(values ?? {})) {
    if (value === null || value === undefined) continue;
    const text = String(value).trim();
    if (text !== '') clean[key] = text;
  }
  return clean;
}

/** `?a=1&b=2`, or an empty string. */
export function queryString(values: QueryValues | undefined): string {
  const text = new URLSearchParams(cleanQuery(values)).toString();
  return text === '' ? '' : `?${text}`;
}
