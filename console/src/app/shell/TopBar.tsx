import { CircleHelp, Languages, Menu, PanelLeft, Search, SquareTerminal } from 'lucide-react';
import { useT } from '#/lib/i18n';
import { paths } from '#/lib/paths';
import { useSession } from '#/lib/session';
import { Bell } from '#/features/messages/Bell';
import { usePage } from '#/ui/page-title';
import { Breadcrumbs, type Crumb } from '#/ui/breadcrumbs';
import { LinkButton } from '#/ui/link';
import { MenuButton } from '#/ui/menu';
import { TipButton } from '#/ui/tooltip';
import { openPalette, SHORTCUT } from '../palette/palette-state';
import { recordNamed, sectionOf } from '../sections';
import { AccountMenu } from './AccountMenu';
import { useOpenRecord } from './open-record';
import { setSidebarOpen, useSidebar } from './sidebar-state';
import { switchLanguage } from './switch-language';
import { TicketsLink } from './TicketsLink';

function useCrumbs(): readonly Crumb[] {
  const t = useT();
  const record = useOpenRecord();
  const title = usePage((state) => state.title);
  if (!record) return title === null ? [] : [{ label: title }];
  const parent = recordNamed(record.parent);
  const section = sectionOf(record);
  const crumbs: Crumb[] = [];
  const own = title ?? t(record.title);
  if (section && section.routes.length > 1) crumbs.push({ label: t(section.title) });
  if (parent) crumbs.push({ label: t(parent.title), to: parent.path });
  if (crumbs.at(-1)?.label !== own) crumbs.push({ label: own });
  return crumbs;
}

/** Looks like a search field and opens the palette. */
function SearchButton() {
  const t = useT();
  const label = t('shell:search');
  return (
    <>
      <button
        type="button"
        className="pt-field pt-field-quiet flex w-64! items-center gap-2 text-left text-ink-3! max-lg:w-48! max-md:hidden"
        aria-keyshortcuts="Control+K"
        aria-haspopup="dialog"
        onClick={openPalette}
      >
        <Search aria-hidden />
        <span className="grow truncate">{label}</span>
        <kbd
          aria-hidden
          className="rounded-1 border border-line-2 bg-surface-2 px-1 font-sans text-meta whitespace-nowrap text-ink-3 max-lg:hidden"
        >
          {SHORTCUT}
        </kbd>
      </button>
      <span className="md:hidden">
        <TipButton icon={Search} label={label} onPress={openPalette} />
      </span>
    </>
  );
}

export function TopBar() {
  const t = useT();
  const crumbs = useCrumbs();
  const { isOpen, isMobile } = useSidebar();
  const { profile } = useSession();
  return (
    <header className="sticky top-0 z-20 flex h-11 flex-none items-center gap-1 border-b border-line bg-bg px-3 max-md:h-12 [&_.pt-button]:font-normal">
      <TipButton
        icon={isMobile ? Menu : PanelLeft}
        label={t(isOpen ? 'app:shell.close_menu' : 'app:shell.open_menu')}
        size={isMobile ? 'lg' : 'md'}
        onPress={() => setSidebarOpen(!isOpen)}
      />
      <div className="min-w-0 flex-1 pl-1">
        <Breadcrumbs crumbs={crumbs} />
      </div>
      <SearchButton />
      {/* Both sides grow equally, so that the search stays in place whatever the length of the title. */}
      <div className="flex items-center justify-end gap-1 md:flex-1">
        <span className="max-sm:hidden">
          <LinkButton to="/connect" kind="text" icon={SquareTerminal} newTab>
            {t('app:shell.web_terminal')}
          </LinkButton>
        </span>
        <TicketsLink />
        {/* Until the first sign-in is completed, the server answers only the requests that complete it. */}
        {!profile.is_first_login && <Bell />}
        <span className="max-sm:hidden">
          <TipButton icon={Languages} label={t('app:language.other')} onPress={() => void switchLanguage()} />
        </span>
        <span className="max-sm:hidden">
          <MenuButton
            label={t('app:help.menu')}
            kind="text"
            iconOnly
            entries={[
              { id: 'docs', label: t('app:help.docs'), href: paths.help('docs') },
              { id: 'support', label: t('app:help.support'), href: paths.help('support') },
              { id: 'enterprise', label: t('app:help.enterprise'), href: paths.help('enterprise') },
              { id: 'api', label: t('app:help.api'), href: '/api/docs/', newTab: true, separated: true },
              { id: 'health', label: t('app:help.health'), href: '/api/health/', newTab: true },
            ]}
          >
            <CircleHelp aria-hidden />
          </MenuButton>
        </span>
        <AccountMenu />
      </div>
    </header>
  );
}
