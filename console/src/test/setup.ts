import { cleanup, configure } from '@testing-library/react';
import { afterEach, beforeEach } from 'vitest';

// A loaded machine is no failure: conditions are waited for, and met at once on an idle one.
configure({ asyncUtilTimeout: 60_000 });

/* What jsdom lacks. */
class NoResizeObserver implements ResizeObserver {
  observe(): void {}
  unobserve(): void {}
  disconnect(): void {}
}
globalThis.ResizeObserver ??= NoResizeObserver;
// React Aria asks for it; ids in tests need no more than this.
window.CSS ??= { escape: (text: string) => text.replaceAll(/[^\w-]/g, (sign) => `\\${sign}`) } as typeof CSS;
window.scrollTo = () => {};
Element.prototype.scrollIntoView ??= () => {};

/** No test talks to a socket by accident: this one never opens. Tests of sockets bring their own. */
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
