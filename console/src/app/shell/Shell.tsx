import { Outlet, useRouterState } from '@tanstack/react-router';
import { type CSSProperties, useEffect } from 'react';
import { useT } from '#/lib/i18n';
import { usePage } from '#/ui/page-title';
import { Banners } from '../banners/Banners';
import { useVisits } from '../views/use-visits';
import { ViewTabs } from '../views/ViewTabs';
import { OfflineBar } from './OfflineBar';
import { Overlays } from './Overlays';
import { Sidebar } from './Sidebar';
import { closeSidebarOnNavigation, followWidth } from './sidebar-state';
import { TopBar } from './TopBar';

/** Total height of the bars above a page: top bar, open views, banners. Pages that fill the window subtract it. */
const FRAME = { '--frame': 'calc(76px + var(--banners, 0px))' } as CSSProperties;

/** The frame of the console: sidebar, top bar, open views and the open screen. */
export function Shell() {
  const t = useT();
  const path = useRouterState({ select: (state) => state.location.pathname });
  useVisits();
  useEffect(followWidth, []);
  useEffect(() => {
    closeSidebarOnNavigation();
    return () => usePage.setState({ title: null });
  }, [path]);
  return (
    <>
      <a
        href="#main"
        className="pt-button absolute top-1 left-1 z-(--z-toast) not-focus:sr-only"
        onClick={(event) => {
          event.preventDefault();
          document.getElementById('main')?.focus();
        }}
      >
        {t('app:shell.skip')}
      </a>
      <div className="flex min-h-dvh" style={FRAME}>
        <Sidebar />
        <div className="flex min-w-0 grow flex-col">
          <TopBar />
          <ViewTabs />
          <OfflineBar />
          <Banners />
          <main
            id="main"
            tabIndex={-1}
            className="mx-auto flex w-full max-w-[1920px] grow flex-col p-5 pt-3.5 max-sm:p-3"
          >
            <Outlet />
          </main>
        </div>
      </div>
      <Overlays />
    </>
  );
}
