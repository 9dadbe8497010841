/** Pages of this host beside the console that want a sign-in: they show the description of the API. */
const OTHER_PAGES = new Set(['/api/docs/', '/api/redoc/']);

/**
 * Where to go after sign-in: a path of this console or one of the other pages on this host, or null. Everything else (other hosts, `//host`,
 * `/\host`, other schemes, control characters) is refused; the server has the same rule.
 */
export function safeNext(raw: string | null | undefined): string | null {
  if (!raw || !raw.startsWith('/') || /^\/[/\\]/.test(raw)) return null;
  for (const character of raw) if (character < '!' || character === '\\') return null;
  const url = new URL(raw, location.origin);
  if (url.origin !== location.origin) return null;
  if (!url.pathname.startsWith('/ui/') && !OTHER_PAGES.has(url.pathname)) return null;
  return url.pathname + url.search + url.hash;
}
