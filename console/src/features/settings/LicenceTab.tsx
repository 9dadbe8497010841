import { useQuery } from '@tanstack/react-query';
import { LicenceImport } from '#/domain/licence/LicenceImport';
import { explain, requestIdOf } from '#/lib/http/catalogue';
import { http } from '#/lib/http/client';
import { useT } from '#/lib/i18n';
import { useSession } from '#/lib/session';
import { Card, Definitions } from '#/ui/card';
import { Note } from '#/ui/note';
import { SkeletonLines } from '#/ui/skeleton';
import { FailedState } from '#/ui/states';

interface Licence {
  readonly corporation: string;
  readonly subscription_id: string;
  readonly edition: string;
  readonly date_issued: string | null;
  readonly date_expired: string | null;
  readonly asset_count: number | null;
  readonly is_valid: boolean;
  readonly days_left: number | null;
  readonly is_expiring: boolean;
  readonly message: string;
}

/** The installed licence, and the import of another: a part of the licensed extension. */
export function LicenceTab() {
  const t = useT();
  const hasExtension = useSession().settings.XPACK_ENABLED === true;
  return hasExtension ? <InstalledLicence /> : <Note>{t('licence:community')}</Note>;
}

function InstalledLicence() {
  const t = useT();
  const query = useQuery({
    queryKey: ['licence'],
    queryFn: () => http.get<Licence>('xpack/license/detail', { quiet: true }),
    staleTime: 0,
  });
  const licence = query.data;
  if (query.error) {
    return (
      <FailedState
        title={t('licence:failed')}
        message={explain(query.error)}
        requestId={requestIdOf(query.error)}
        onRetry={() => void query.refetch()}
      />
    );
  }
  return (
    <div className="grid max-w-[960px] gap-3">
      {licence ? (
        <>
          <Note tone={!licence.is_valid || licence.is_expiring ? 'warn' : 'ok'}>
            {licence.message === '' ? t('licence:valid', { count: licence.days_left ?? 0 }) : licence.message}
          </Note>
          {licence.date_issued !== null && (
            <Card title={t('licence:installed')} flush>
              <Definitions
                items={[
                  { label: t('licence:corporation'), value: licence.corporation },
                  { label: t('licence:subscription'), value: licence.subscription_id },
                  { label: t('licence:edition'), value: licence.edition },
                  { label: t('licence:assets'), value: licence.asset_count },
                  { label: t('licence:issued'), value: licence.date_issued },
                  { label: t('licence:expires'), value: licence.date_expired },
                ]}
              />
            </Card>
          )}
        </>
      ) : (
        <div className="pt-card" aria-busy="true">
          <SkeletonLines lines={4} />
        </div>
      )}
      <Card title={t('licence:import')}>
        <LicenceImport />
      </Card>
    </div>
  );
}
