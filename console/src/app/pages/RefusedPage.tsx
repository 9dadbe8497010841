import { useSearch } from '@tanstack/react-router';
import { useT } from '#/lib/i18n';
import { paths } from '#/lib/paths';
import { bitsOf, satisfies } from '#/lib/permissions';
import { isAdminPage, useSession } from '#/lib/session';
import { Button } from '#/ui/button';
import { LinkButton } from '#/ui/link';
import { usePageTitle } from '#/ui/page-title';
import { StateView } from '#/ui/states';
import { recordNamed } from '../sections';
import { maySwitchPage, switchPage } from '../shell/switch-page';
import { WaysOut } from './WaysOut';

/** A screen that this person cannot open now: the right or licence it needs, what the person has, and one next step. */
export function RefusedPage() {
  const t = useT();
  const session = useSession();
  const search: { screen?: string; why?: string } = useSearch({ strict: false });
  const record = recordNamed(search.screen);
  const title = t(search.why === 'licence' ? 'app:refused.licence_title' : 'app:refused.title', {
    screen: record ? t(record.title) : t('app:refused.this_screen'),
  });
  usePageTitle(title);
  const needed = record?.permission ?? 'admin';
  const otherPageHelps =
    maySwitchPage(session) && satisfies(session.permissions, bitsOf(needed)) && search.why === 'permission';
  // i18n: app:role.*
  const why =
    search.why === 'permission'
      ? t('app:refused.why', {
          needed: t(`app:role.${needed}`),
          yours: t(isAdminPage(session.currentRole) ? 'app:refused.admin_page' : 'app:refused.user_page'),
        })
      : t(search.why === 'licence' ? 'app:refused.licence_why' : 'app:refused.setting_why');
  return (
    <StateView
      drawing={search.why === 'licence' ? 'licence' : 'forbidden'}
      heading="h1"
      title={title}
      actions={
        <>
          {otherPageHelps && (
            <Button kind="primary" onClick={() => switchPage(session)}>
              {t(isAdminPage(session.currentRole) ? 'app:account.to_user_page' : 'app:account.to_admin_page')}
            </Button>
          )}
          {search.why === 'licence' && session.profile.role === 'Admin' && (
            <LinkButton to={paths.help('enterprise')} kind="primary">
              {t('app:refused.import_licence')}
            </LinkButton>
          )}
          <LinkButton to="/">{t('app:not_found.home')}</LinkButton>
          <WaysOut />
        </>
      }
    >
      {why}
    </StateView>
  );
}
