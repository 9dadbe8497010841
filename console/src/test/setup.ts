import * as streams from 'node:stream/web';
import { cleanup, configure } from '@testing-library/react';
import { afterEach, beforeEach } from 'vitest';
import { PATIENCE_MS } from './eventually';

configure({ asyncUtilTimeout: PATIENCE_MS });

/* What jsdom lacks. Streams are Node's own, as browsers have them. */
for (const [name, value] of Object.entries(streams)) {
  if (name.endsWith('Stream') && !(name in globalThis)) Object.assign(globalThis, { [name]: value });
}
class NoResizeObserver implements ResizeObserver {
  observe(): void {}
  unobserve(): void {}
  disconnect(): void {}
}
globalThis.ResizeObserver ??= NoResizeObserver;
// React Aria calls it; ids in tests need no real escaping.
window.CSS ??= { escape: (text: string) => text.replaceAll(/[^\w-]/g, (sign) => `\\${sign}`) } as typeof CSS;
window.scrollTo = () => {};
Element.prototype.scrollIntoView ??= () => {};

/** A socket that never opens, so that no test connects by accident. Tests of sockets provide their own. */
class SilentWebSocket extends EventTarget {
  close(): void {}
  send(): void {}
}
globalThis.WebSocket = SilentWebSocket as unknown as typeof WebSocket;

function matchNothing(query: string): MediaQueryList {
  return {
    matches: false,
    media: query,
    onchange: null,
    addEventListener() {},
    removeEventListener() {},
    addListener() {},
    removeListener() {},
    dispatchEvent: () => false,
  };
}

beforeEach(() => {
  window.matchMedia ??= matchNothing;
});

afterEach(() => {
  cleanup();
  localStorage.clear();
  sessionStorage.clear();
  for (const part of document.cookie.split('; ')) {
    const [name] = part.split('=');
    if (name) document.cookie = `${name}=; path=/; max-age=0`;
  }
});
