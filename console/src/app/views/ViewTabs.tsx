import { useRouter, useRouterState } from '@tanstack/react-router';
import { ChevronDown, Pin, PinOff, X } from 'lucide-react';
import { type KeyboardEvent, type RefObject, useEffect, useRef } from 'react';
import { useT } from '#/lib/i18n';
import { useSession } from '#/lib/session';
import { AppLink, splitTarget } from '#/ui/link';
import { MenuButton, type MenuEntry } from '#/ui/menu';
import { showInStrip } from '#/ui/strip';
import { homeOf } from '../sections';
import { useOpenRecord } from '../shell/open-record';
import { closeAll, closeOthers, closeView, neighbourOf, setAffix, useVisited, type View } from './visited';

const MOVES: Readonly<Record<string, (at: number, count: number) => number>> = {
  ArrowRight: (at, count) => (at + 1) % count,
  ArrowLeft: (at, count) => (at - 1 + count) % count,
  Home: () => 0,
  End: (_, count) => count - 1,
};

/** Scrolls the current tab into view. */
function useCurrentInView(
  strip: RefObject<HTMLUListElement | null>,
  here: string,
  views: readonly View[],
): void {
  useEffect(() => {
    const list = strip.current;
    if (!list) return undefined;
    // Scrolls the whole tab, with its close button, into view; again when a title or the window changes its position.
    const show = () => showInStrip(list, list.querySelector('li[data-current]'));
    show();
    const observer = new ResizeObserver(show);
    observer.observe(list);
    return () => observer.disconnect();
  }, [strip, here, views]);
}

interface ViewTabProps {
  readonly view: View;
  readonly isHere: boolean;
  /** The tab is the tab stop of the strip. */
  readonly isStop: boolean;
  readonly onKeyDown: (event: KeyboardEvent) => void;
  readonly onClose: () => void;
}

function ViewTab({ view, isHere, isStop, onKeyDown, onClose }: ViewTabProps) {
  const t = useT();
  return (
    <li
      data-current={isHere || undefined}
      className={`group flex flex-none items-center border-b-2 ${isHere ? 'border-accent' : 'border-transparent'}`}
    >
      {/* oxlint-disable-next-line jsx-a11y/no-static-element-interactions -- keys of the link inside */}
      <span onKeyDown={onKeyDown}>
        <AppLink
          to={view.address}
          title={view.title}
          tabIndex={isStop ? 0 : -1}
          className={`block max-w-44 truncate rounded-1 py-1 pl-2 no-underline outline-offset-[-2px] ${isHere ? 'font-medium text-ink-1' : 'text-ink-2 hover:text-ink-1'} ${view.affix ? 'pr-2' : ''}`}
        >
          {view.title}
        </AppLink>
      </span>
      {!view.affix && (
        <button
          type="button"
          tabIndex={-1}
          aria-label={t('shell:views.close', { title: view.title })}
          title={t('shell:views.close_hint')}
          className="grid size-6 place-items-center rounded-1 text-ink-3 hover:bg-hover hover:text-ink-1"
          onClick={onClose}
        >
          <X className="size-3!" aria-hidden />
        </button>
      )}
    </li>
  );
}

/**
 * The open views in a strip. It is one tab stop: arrows move, Delete closes. The menu closes several views and lists
 * all.
 */
export function ViewTabs() {
  const t = useT();
  const router = useRouter();
  const session = useSession();
  const views = useVisited((state) => state.views);
  const record = useOpenRecord();
  const here = useRouterState({ select: (state) => state.resolvedLocation?.pathname ?? '' });
  const strip = useRef<HTMLUListElement>(null);
  const current = views.find((view) => view.path === here);
  const stop = current?.path ?? views[0]?.path;

  useCurrentInView(strip, here, views);

  /** Navigates first, so that an unsaved form can keep its view open. */
  const leaveTo = async (target: string, left: () => void) => {
    await router.navigate(splitTarget(target));
    if (router.state.location.pathname !== here) left();
  };
  const home = homeOf(session);
  const close = (view: View) => {
    if (view.path !== here) closeView(view.path);
    else void leaveTo(neighbourOf(view.path)?.address ?? home, () => closeView(view.path));
  };
  const closeEverything = () => {
    if (!current || current.affix) closeAll();
    else void leaveTo(views.find((view) => view.affix)?.address ?? home, closeAll);
  };
  const onKeyDown = (event: KeyboardEvent, view: View, at: number) => {
    const links = [...(strip.current?.querySelectorAll<HTMLElement>('a') ?? [])];
    const move = MOVES[event.key];
    if (move) {
      event.preventDefault();
      links[move(at, links.length)]?.focus();
    } else if (event.key === 'Delete' && !view.affix) {
      event.preventDefault();
      (links[at + 1] ?? links[at - 1])?.focus();
      close(view);
    }
  };
  if (views.length === 0) return null;
  const fixedByRecord = record?.affix === true;
  const entries: readonly MenuEntry[] = [
    ...views.map((view) => ({
      id: view.path,
      label: view.title,
      selected: view.path === here,
      run: () => void router.navigate(splitTarget(view.address)),
    })),
    ...(current && !fixedByRecord
      ? [
          {
            id: 'affix',
            label: t(current.affix ? 'shell:views.unpin' : 'shell:views.pin'),
            icon: current.affix ? PinOff : Pin,
            separated: true,
            run: () => setAffix(current.path, !current.affix),
          },
        ]
      : []),
    ...(current && !current.affix
      ? [
          {
            id: 'close',
            label: t('shell:views.close_this'),
            separated: true,
            run: () => close(current),
          },
        ]
      : []),
    { id: 'others', label: t('shell:views.close_others'), run: () => closeOthers(here) },
    { id: 'all', label: t('shell:views.close_all'), run: closeEverything },
  ];
  return (
    <nav
      aria-label={t('shell:views.label')}
      className="flex h-8 flex-none border-b border-line bg-bg max-md:hidden"
    >
      <ul ref={strip} className="pt-view-tabs flex min-w-0 grow overflow-x-auto px-3 [scrollbar-width:none]">
        {views.map((view, at) => {
          return (
            <ViewTab
              key={view.path}
              view={view}
              isHere={view.path === here}
              isStop={view.path === stop}
              onKeyDown={(event) => onKeyDown(event, view, at)}
              onClose={() => close(view)}
            />
          );
        })}
      </ul>
      <MenuButton label={t('shell:views.menu')} kind="text" iconOnly className="m-0.5" entries={entries}>
        <ChevronDown aria-hidden />
      </MenuButton>
    </nav>
  );
}
