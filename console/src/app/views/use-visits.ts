import { useRouterState } from '@tanstack/react-router';
import { useEffect } from 'react';
import { useT } from '#/lib/i18n';
import { useSession } from '#/lib/session';
import { usePage } from '#/ui/page-title';
import { openTo } from '../sections';
import { useOpenRecord } from '../shell/open-record';
import { openVisited, visit } from './visited';

/** Follows the open screen: each becomes a view with its address and, once the screen says it, its title. */
export function useVisits(): void {
  const t = useT();
  const session = useSession();
  const record = useOpenRecord();
  const path = useRouterState({ select: (state) => state.resolvedLocation?.pathname ?? '' });
  const address = useRouterState({
    select: ({ resolvedLocation }) =>
      resolvedLocation ? `${resolvedLocation.pathname}${resolvedLocation.searchStr}` : '',
  });
  const title = usePage((state) => state.title);
  const { username } = session.profile;
  useEffect(() => {
    const affixed = openTo(session)
      .flatMap((section) => section.routes)
      .filter((one) => one.affix)
      .map((one) => ({ path: one.path, address: one.path, title: t(one.title), affix: true }));
    openVisited(username, affixed);
    // Once for a person: later screens add to what is there.
    // oxlint-disable-next-line react-hooks/exhaustive-deps -- see above
  }, [username]);
  const name = record?.title;
  const affix = record?.affix ?? false;
  const isWorkspace = record?.frame === 'bare';
  useEffect(() => {
    if (name === undefined || isWorkspace || path === '') return;
    visit({ path, address, title: title ?? t(name), affix });
  }, [path, address, title, name, affix, isWorkspace, t]);
}
