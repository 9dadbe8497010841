import { LogOut, Moon, Sun } from 'lucide-react';
import { useT } from '#/lib/i18n';
import { paths } from '#/lib/paths';
import { isAuditor, type Session, useSession } from '#/lib/session';
import { themeOf, useTheme } from '#/lib/theme';
import { IconButton } from '#/ui/button';
import { AppLink } from '#/ui/link';
import { Avatar } from './Avatar';
import { signOut } from './sign-out';

/** The person's strongest role in this organization. */
function roleOf(session: Session): 'super' | 'admin' | 'audit' | 'use' {
  if (session.profile.is_superuser) return 'super';
  if (session.profile.is_org_admin) return 'admin';
  return isAuditor(session) ? 'audit' : 'use';
}

/** Foot of the menu on a phone: the signed-in person, the theme and signing out. */
export default function PersonFooter() {
  const t = useT();
  const session = useSession();
  const theme = useTheme();
  const isDark = themeOf(theme.choice) === 'dark';
  const { name } = session.profile;
  // i18n: app:role.*
  return (
    <div className="flex flex-none items-center gap-3 border-t border-line px-3.5 py-2">
      <Avatar name={name} className="size-9" />
      <AppLink to={paths.profile} className="min-h-11 min-w-0 grow content-center text-ink-1 no-underline">
        <span className="block truncate">{name}</span>
        <span className="block text-meta text-ink-3 first-letter:uppercase">
          {t(`app:role.${roleOf(session)}`)}
        </span>
      </AppLink>
      <IconButton
        icon={isDark ? Sun : Moon}
        kind="text"
        size="lg"
        label={t(isDark ? 'app:theme.light' : 'app:theme.dark')}
        onClick={() => theme.choose(isDark ? 'light' : 'dark')}
      />
      <IconButton icon={LogOut} kind="text" size="lg" label={t('app:account.sign_out')} onClick={signOut} />
    </div>
  );
}
