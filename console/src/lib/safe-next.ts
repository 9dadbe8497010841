/** Pages of this host outside of the console that need a sign-in: the description of the API. */
const OTHER_PAGES = new Set(['/api/docs/', '/api/redoc/']);

/**
 * Checks the target after sign-in. Returns a path of this console or of one of the other pages on this host, else null:
 * other hosts, `//host`, `/\host`, other schemes and control characters are refused. The server has the same rule.
 */
export function safeNext(raw: string | null | undefined): string | null {
  if (!raw || !raw.startsWith('/') || /^\/[/\\]/.test(raw)) return null;
  for (const character of raw) if (character < '!' || character === '\\') return null;
  const url = new URL(raw, location.origin);
  if (url.origin !== location.origin) return null;
  if (!url.pathname.startsWith('/ui/') && !OTHER_PAGES.has(url.pathname)) return null;
  return url.pathname + url.search + url.hash;
}
