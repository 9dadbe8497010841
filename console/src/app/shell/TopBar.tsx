import { CircleHelp, Languages, Menu, PanelLeft, SquareTerminal } from 'lucide-react';
import { useT } from '#/lib/i18n';
import { usePage } from '#/ui/page-title';
import { Breadcrumbs, type Crumb } from '#/ui/breadcrumbs';
import { LinkButton } from '#/ui/link';
import { MenuButton } from '#/ui/menu';
import { TipButton } from '#/ui/tooltip';
import { recordNamed, sectionOf } from '../sections';
import { AccountMenu, switchLanguage } from './AccountMenu';
import { useOpenRecord } from './Sidebar';
import { setSidebarOpen, useSidebar } from './sidebar-state';

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

export function TopBar() {
  const t = useT();
  const crumbs = useCrumbs();
  const { isOpen, isMobile } = useSidebar();
  return (
    <header className="sticky top-0 z-20 flex h-11 flex-none items-center gap-1 border-b border-line bg-bg px-3 max-md:h-12">
      <TipButton
        icon={isMobile ? Menu : PanelLeft}
        label={t(isOpen ? 'app:shell.close_menu' : 'app:shell.open_menu')}
        size={isMobile ? 'lg' : 'md'}
        onPress={() => setSidebarOpen(!isOpen)}
      />
      <div className="min-w-0 grow pl-1">
        <Breadcrumbs crumbs={crumbs} />
      </div>
      <span className="max-sm:hidden">
        <LinkButton to="/connect" kind="text" icon={SquareTerminal} newTab>
          {t('app:shell.web_terminal')}
        </LinkButton>
      </span>
      <span className="max-sm:hidden">
        <TipButton icon={Languages} label={t('app:language.other')} onPress={() => void switchLanguage()} />
      </span>
      <MenuButton
        label={t('app:help.menu')}
        kind="text"
        iconOnly
        entries={[
          { id: 'docs', label: t('app:help.docs'), href: '/api/docs/', newTab: true },
          { id: 'health', label: t('app:help.health'), href: '/api/health/', newTab: true },
        ]}
      >
        <CircleHelp aria-hidden />
      </MenuButton>
      <AccountMenu />
    </header>
  );
}
