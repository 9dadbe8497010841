import { ArrowLeftRight, LogOut } from 'lucide-react';
import { browserLocation } from '#/lib/browser-location';
import { useT } from '#/lib/i18n';
import { currentSession, forgetOrganization, type Organization, type Session } from '#/lib/session';
import { Button } from '#/ui/button';
import { MenuButton } from '#/ui/menu';
import { signOut } from '../shell/sign-out';
import { switchOrganization } from '../shell/switch-organization';

/** Other organizations in which the person can continue. */
function others({ organization, organizations, profile }: Session): readonly Organization[] {
  const all = new Map([...organizations, ...profile.user_all_orgs].map((entry) => [entry.id, entry]));
  all.delete(organization.id);
  return [...all.values()];
}

/** Next steps that every error page offers: another organization, or signing out. */
export function WaysOut() {
  const t = useT();
  const session = currentSession();
  const choice = session === null ? [] : others(session);
  return (
    <div className="flex flex-wrap justify-center gap-2">
      {session === null && (
        <Button
          kind="text"
          icon={ArrowLeftRight}
          onClick={() => {
            forgetOrganization();
            browserLocation.assign('/ui/');
          }}
        >
          {t('app:organization.switch')}
        </Button>
      )}
      {session !== null && choice.length > 0 && (
        <MenuButton
          label={t('app:organization.switch')}
          align="start"
          entries={choice.map((entry) => ({
            id: entry.id,
            label: entry.name,
            // The http client has already shown the refusal.
            run: () => void switchOrganization(entry.id, session).catch(() => undefined),
          }))}
        >
          {t('app:organization.switch')}
        </MenuButton>
      )}
      <Button kind="text" icon={LogOut} onClick={signOut}>
        {t('app:account.sign_out')}
      </Button>
    </div>
  );
}
