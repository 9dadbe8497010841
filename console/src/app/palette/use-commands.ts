import {
  Building2,
  History,
  KeyRound,
  Languages,
  LogOut,
  Monitor,
  Moon,
  PanelLeft,
  Plus,
  Repeat,
  SquareTerminal,
  Sun,
  X,
} from 'lucide-react';
import { useMemo } from 'react';
import { useT } from '#/lib/i18n';
import { paths } from '#/lib/paths';
import { isAdminPage, useSession } from '#/lib/session';
import { useTheme } from '#/lib/theme';
import { openTo, recordNamed } from '../sections';
import { openAccessKeys } from '../shell/access-keys';
import { sectionIcons } from '../shell/section-icons';
import { setSidebarOpen, useSidebar } from '../shell/sidebar-state';
import { signOut } from '../shell/sign-out';
import { switchLanguage } from '../shell/switch-language';
import { offersOrganizations, switchOrganization } from '../shell/switch-organization';
import { maySwitchPage, switchPage } from '../shell/switch-page';
import { closeAll, useVisited } from '../views/visited';
import type { Command } from './commands';
import type { Source } from './find-objects';

/** Screens without an id in their address. Those that create something count as actions. */
function useScreens(): { readonly commands: readonly Command[]; readonly sources: readonly Source[] } {
  const t = useT();
  const session = useSession();
  return useMemo(() => {
    const commands: Command[] = [];
    const sources: Source[] = [];
    for (const section of openTo(session)) {
      const icon = sectionIcons[section.icon];
      for (const record of section.routes) {
        if (record.find)
          sources.push({
            record,
            find: record.find,
            icon,
            kind: t(record.title),
            connect: record.find.connect === undefined ? null : (name) => t('palette:connect', { name }),
          });
        // A screen of the console that the menu opens in a new tab is here by its own record.
        if (record.external?.startsWith('/ui/')) continue;
        if (record.path.includes('$') || record.path === paths.firstLogin) continue;
        const isCreate = record.hidden === true && record.name.endsWith('Create');
        const parent = recordNamed(record.parent);
        commands.push({
          id: record.name,
          group: isCreate ? 'actions' : 'screens',
          label: t(record.title),
          detail: parent ? t(parent.title) : section.routes.length > 1 ? t(section.title) : undefined,
          icon: isCreate ? Plus : record.path === '/connect' ? SquareTerminal : icon,
          words: record.path,
          to: record.path,
        });
      }
    }
    return { commands, sources };
  }, [session, t]);
}

function useActions(): readonly Command[] {
  const t = useT();
  const session = useSession();
  const theme = useTheme();
  const sidebarOpen = useSidebar((state) => state.isOpen);
  const action = (id: string, label: string, icon: Command['icon'], rest: Partial<Command>): Command => ({
    id,
    group: 'actions',
    label,
    icon,
    ...rest,
  });
  const onAdminPage = isAdminPage(session.currentRole);
  return [
    action('api-keys', t('app:account.api_keys'), KeyRound, { run: openAccessKeys }),
    ...(maySwitchPage(session)
      ? [
          action(
            'switch',
            t(onAdminPage ? 'app:account.to_user_page' : 'app:account.to_admin_page'),
            Repeat,
            { run: () => switchPage(session) },
          ),
        ]
      : []),
    // i18n: app:theme.*
    ...(['system', 'light', 'dark'] as const)
      .filter((id) => id !== theme.choice)
      .map((id) =>
        action(
          `theme-${id}`,
          t('palette:theme', { name: t(`app:theme.${id}`) }),
          { system: Monitor, light: Sun, dark: Moon }[id],
          {
            run: () => theme.choose(id),
          },
        ),
      ),
    action('language', t('app:language.other'), Languages, {
      words: 'language 语言',
      run: () => void switchLanguage(),
    }),
    action('sidebar', t(sidebarOpen ? 'app:shell.close_menu' : 'app:shell.open_menu'), PanelLeft, {
      run: () => setSidebarOpen(!sidebarOpen),
    }),
    action('close-views', t('palette:close_views'), X, { run: closeAll }),
    action('sign-out', t('app:account.sign_out'), LogOut, { run: signOut }),
    ...(offersOrganizations(session, onAdminPage)
      ? session.organizations
          .filter((organization) => organization.id !== session.organization.id)
          .map((organization): Command => ({
            id: `organization-${organization.id}`,
            group: 'organizations',
            label: organization.name,
            detail: t('palette:switch_organization'),
            icon: Building2,
            run: () => void switchOrganization(organization.id, session).catch(() => undefined),
          }))
      : []),
  ];
}

/** Open views of this browser tab, without the current view. */
function useRecent(here: string): readonly Command[] {
  const views = useVisited((state) => state.views);
  return views
    .filter((view) => view.path !== here)
    .toReversed()
    .map((view) => ({
      id: `recent-${view.path}`,
      group: 'recent' as const,
      label: view.title,
      detail: view.path,
      icon: History,
      to: view.address,
    }));
}

export interface Commands {
  readonly screens: readonly Command[];
  readonly actions: readonly Command[];
  readonly organizations: readonly Command[];
  readonly recent: readonly Command[];
  readonly sources: readonly Source[];
}

/** All commands that need no request, and the sources to search on the server. */
export function useCommands(here: string): Commands {
  const { commands, sources } = useScreens();
  const others = useActions();
  return {
    screens: commands.filter((command) => command.group === 'screens'),
    actions: [
      ...commands.filter((command) => command.group === 'actions'),
      ...others.filter((command) => command.group === 'actions'),
    ],
    organizations: others.filter((command) => command.group === 'organizations'),
    recent: useRecent(here),
    sources,
  };
}
