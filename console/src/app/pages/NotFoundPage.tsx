import { useT } from '#/lib/i18n';
import { LinkButton } from '#/ui/link';
import { usePageTitle } from '#/ui/page-title';
import { StateView } from '#/ui/states';
import { WaysOut } from './WaysOut';

export function NotFoundPage() {
  const t = useT();
  usePageTitle(t('app:not_found.title'));
  return (
    <StateView
      drawing="no-match"
      heading="h1"
      title={t('app:not_found.title')}
      actions={
        <>
          <LinkButton to="/" kind="primary">
            {t('app:not_found.home')}
          </LinkButton>
          <WaysOut />
        </>
      }
    >
      {t('app:not_found.why')}
    </StateView>
  );
}
