import { useRouterState } from '@tanstack/react-router';
import { useEffect } from 'react';
import { useT } from '#/lib/i18n';
import { useSession } from '#/lib/session';
import { usePage } from '#/ui/page-title';
import { openTo } from '../sections';
import { useOpenRecord } from '../shell/open-record';
import { finishView, openVisited, visit } from './visited';

const trimmed = (path: string) => path.replace(/(?<=.)\/$/, '');

/** Records the open screen in the list of views, with its address and, once the screen has set it, its title. */
export function useVisits(): void {
  const t = useT();
  const session = useSession();
  const record = useOpenRecord();
  // Compare with the path of the drawn matches, because a screen that sets its title is drawn already. During a
  // navigation, location and matches differ and nothing is recorded.
  const path = useRouterState({
    select: ({ location, matches }) => {
      const drawn = trimmed(matches.at(-1)?.pathname ?? '');
      return drawn === trimmed(location.pathname) ? drawn : '';
    },
  });
  const query = useRouterState({ select: (state) => state.location.searchStr });
  const title = usePage((state) => state.title);
  const finished = usePage((state) => state.finished);
  const { username } = session.profile;
  useEffect(() => {
    const affixed = openTo(session)
      .flatMap((section) => section.routes)
      .filter((record) => record.affix)
      .map((record) => ({ path: record.path, address: record.path, title: t(record.title), affix: true }));
    openVisited(username, affixed);
    // Runs once for each person; later screens add to the list.
    // oxlint-disable-next-line react-hooks/exhaustive-deps -- see above
  }, [username]);
  useEffect(() => {
    if (finished === null) return;
    finishView(finished);
    usePage.setState({ finished: null });
  }, [finished]);
  const name = record?.title;
  const affix = record?.affix ?? false;
  const isWorkspace = record?.frame === 'bare';
  useEffect(() => {
    if (name === undefined || isWorkspace || path === '') return;
    visit({ path, address: `${path}${query}`, title: title ?? t(name), affix });
  }, [path, query, title, name, affix, isWorkspace, t]);
}
