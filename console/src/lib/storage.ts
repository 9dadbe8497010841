/**
 * Browser storage. Private windows and full disks make `localStorage` throw. The console must work even if it cannot
 * store a preference, so reads return null and writes are best effort.
 */
export function readStored(key: string): string | null {
  try {
    return localStorage.getItem(key);
  } catch {
    return null;
  }
}

export function writeStored(key: string, value: string): void {
  try {
    localStorage.setItem(key, value);
  } catch {
    // Storage is full or disabled: the preference lasts for this page only.
  }
}

export function removeStored(key: string): void {
  try {
    localStorage.removeItem(key);
  } catch {
    // Storage is disabled: nothing is stored.
  }
}

/** Removes every stored value for whose key `isMeant` returns true. */
export function removeStoredBy(isMeant: (key: string) => boolean): void {
  try {
    for (const key of Object.keys(localStorage).filter(isMeant)) localStorage.removeItem(key);
  } catch {
    // Storage is disabled: nothing is stored.
  }
}

/** Reads a JSON value; a damaged or invalid value counts as absent. */
export function readStoredJson(key: string): unknown {
  const text = readStored(key);
  if (text === null) return null;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return null;
  }
}

export function writeStoredJson(key: string, value: unknown): void {
  writeStored(key, JSON.stringify(value));
}

/** As `readStoredJson`, but for this browser tab only. */
export function readTabJson(key: string): unknown {
  try {
    const text = sessionStorage.getItem(key);
    return text === null ? null : (JSON.parse(text) as unknown);
  } catch {
    return null;
  }
}

export function writeTabJson(key: string, value: unknown): void {
  try {
    sessionStorage.setItem(key, JSON.stringify(value));
  } catch {
    // Storage is full or disabled: the value lasts for this page only.
  }
}

export function readCookie(name: string): string | null {
  for (const part of document.cookie.split('; ')) {
    const cut = part.indexOf('=');
    if (cut > 0 && part.slice(0, cut) === name) return decodeURIComponent(part.slice(cut + 1));
  }
  return null;
}

/** Writes a cookie for the whole site. Without `days` it lasts as long as the browser session. */
export function writeCookie(name: string, value: string, days?: number): void {
  const age = days === undefined ? '' : `; max-age=${days * 86_400}`;
  const secure = location.protocol === 'https:' ? '; secure' : '';
  // Firefox ESR lacks the Cookie Store API, so this is the one place that assigns document.cookie.
  document.cookie = `${name}=${encodeURIComponent(value)}; path=/; samesite=lax${age}${secure}`;
}
