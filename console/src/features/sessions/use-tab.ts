import { useState } from 'react';
import { writeCookie } from '#/lib/storage';

const COOKIE = 'activeTab';

/** The open tab of a page, stored in the query and in the cookie `activeTab` (specification, section 2). */
export function useTab(usual: string): readonly [string, (tab: string) => void] {
  const [tab, setTab] = useState(() => new URLSearchParams(location.search).get(COOKIE) ?? usual);
  const select = (next: string): void => {
    setTab(next);
    writeCookie(COOKIE, next);
    const address = new URL(location.href);
    address.searchParams.set(COOKIE, next);
    history.replaceState(history.state, '', address);
  };
  return [tab, select];
}
