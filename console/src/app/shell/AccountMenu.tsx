import {
  ChevronDown,
  CircleHelp,
  CircleUser,
  KeyRound,
  Languages,
  LogOut,
  Monitor,
  Moon,
  Repeat,
  SquareTerminal,
  Sun,
} from 'lucide-react';
import { useT } from '#/lib/i18n';
import { paths } from '#/lib/paths';
import { isAdminPage, useSession } from '#/lib/session';
import { type ThemeChoice, useTheme } from '#/lib/theme';
import { MenuButton, type MenuEntry } from '#/ui/menu';
import { useMedia } from '#/ui/use-media';
import { openAccessKeys } from './access-keys';
import { Avatar } from './Avatar';
import { signOut } from './sign-out';
import { switchLanguage } from './switch-language';
import { maySwitchPage, switchPage } from './switch-page';

const THEMES: readonly { id: ThemeChoice; icon: typeof Sun }[] = [
  { id: 'system', icon: Monitor },
  { id: 'light', icon: Sun },
  { id: 'dark', icon: Moon },
];

/** Profile, switch of page, API keys, theme, language, sign out. */
export function AccountMenu() {
  const t = useT();
  const session = useSession();
  const theme = useTheme();
  const isPhone = useMedia('(width < 640px)');
  const entries: MenuEntry[] = [
    {
      id: 'profile',
      label: t('app:account.profile'),
      icon: CircleUser,
      detail: session.profile.username,
      href: paths.profile,
    },
    ...(maySwitchPage(session)
      ? [
          {
            id: 'switch',
            label: t(
              isAdminPage(session.currentRole) ? 'app:account.to_user_page' : 'app:account.to_admin_page',
            ),
            icon: Repeat,
            run: () => switchPage(session),
          },
        ]
      : []),
    { id: 'api-keys', label: t('app:account.api_keys'), icon: KeyRound, run: openAccessKeys },
    // Entries for which a narrow top bar has no room.
    ...(isPhone
      ? [
          {
            id: 'terminal',
            label: t('app:shell.web_terminal'),
            icon: SquareTerminal,
            separated: true,
            href: '/connect',
          },
          { id: 'help', label: t('app:help.menu'), icon: CircleHelp, href: paths.help('docs') },
        ]
      : []),
    // i18n: app:theme.*
    ...THEMES.map(({ id, icon }, index) => ({
      id: `theme-${id}`,
      label: t(`app:theme.${id}`),
      icon,
      selected: theme.choice === id,
      separated: index === 0,
      run: () => theme.choose(id),
    })),
    {
      id: 'language',
      label: t('app:language.other'),
      icon: Languages,
      separated: true,
      run: () => void switchLanguage(),
    },
    { id: 'sign-out', label: t('app:account.sign_out'), icon: LogOut, separated: true, run: signOut },
  ];
  return (
    <MenuButton label={t('app:account.menu', { name: session.profile.name })} entries={entries} kind="text">
      <Avatar name={session.profile.name} className="size-6 text-meta" />
      <span className="max-w-32 truncate max-sm:sr-only">{session.profile.name}</span>
      <ChevronDown className="size-[14px]! text-ink-3 max-sm:hidden" aria-hidden />
    </MenuButton>
  );
}
