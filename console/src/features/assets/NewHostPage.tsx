import { useNavigate } from '@tanstack/react-router';
import { useT } from '#/lib/i18n';
import { paths } from '#/lib/paths';
import { queryClient } from '#/lib/query';
import { useIsRootOrganization } from '#/lib/session';
import { NewHostForm } from '#/domain/new-host/NewHostForm';
import { LinkButton } from '#/ui/link';
import { Note } from '#/ui/note';
import { PageHeader } from '#/ui/page';
import { toast } from '#/ui/toast';
import { assetRoutes } from './addresses';

/** Form that creates a host with its account and the people who may connect. */
export function NewHostPage() {
  const t = useT();
  const navigate = useNavigate();
  const isRoot = useIsRootOrganization();
  return (
    <>
      <PageHeader
        title={t('nav:new_host')}
        back={{ to: assetRoutes.paths.list, label: t(assetRoutes.titles.list) }}
      />
      <div className="mt-3 pt-card p-5">
        {isRoot ? (
          <Note tone="warn">{t('resource:not_in_root')}</Note>
        ) : (
          <NewHostForm
            onAdded={(made, host) => {
              const name = host.hostname.trim() || host.address.trim();
              toast({
                tone: 'ok',
                text: t(made.permission ? 'new-host:done' : 'new-host:done_open', { name }),
              });
              queryClient.removeQueries({ queryKey: ['list'] });
              void navigate({ to: paths.asset(made.asset) });
            }}
            onTesting={() => queryClient.removeQueries({ queryKey: ['list'] })}
            onward={{
              label: t('new-host:test.open'),
              run: (made) => void navigate({ to: paths.asset(made.asset) }),
            }}
            more={
              <LinkButton to={assetRoutes.paths.create ?? assetRoutes.paths.list} kind="text">
                {t('assets:all_fields')}
              </LinkButton>
            }
          />
        )}
      </div>
    </>
  );
}
