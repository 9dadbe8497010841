import { useQuery } from '@tanstack/react-query';
import { explain, requestIdOf } from '#/lib/http/catalogue';
import { http } from '#/lib/http/client';
import { useT } from '#/lib/i18n';
import { TimeCell } from '#/resource/format';
import { Button } from '#/ui/button';
import { Card } from '#/ui/card';
import { SkeletonLines } from '#/ui/skeleton';
import { FailedState } from '#/ui/states';
import { Status } from '#/ui/status';
import { toast } from '#/ui/toast';

const PATH = 'authentication/login-sessions/';
/** The newest sign-ins that are shown. */
const MOST = 50;

interface SignIn {
  readonly id: string;
  readonly remote_addr: string;
  readonly user_agent: string;
  readonly date_created: string;
  readonly date_ended: string | null;
  readonly end_reason_display: string;
  readonly is_open: boolean;
  readonly is_current: boolean;
}

function Row({ row, onEnded }: { readonly row: SignIn; readonly onEnded: () => void }) {
  const t = useT();
  const end = async () => {
    try {
      await http.delete(`${PATH}${row.id}/`, { quiet: true });
      toast({ tone: 'ok', text: t('profile:sign_ins.ended') });
    } catch (error) {
      toast({ tone: 'error', text: explain(error) });
    }
    onEnded();
  };
  const state = row.is_current ? 'current' : row.is_open ? 'open' : 'over';
  return (
    <li className="flex flex-wrap items-center gap-x-3 gap-y-1 border-t border-line px-3.5 py-2.5 first:border-t-0">
      <span className="min-w-24 font-semibold">{row.remote_addr}</span>
      <span className="min-w-0 grow basis-48 text-ink-2 [overflow-wrap:anywhere]">
        <TimeCell value={row.date_created} />
        <span className="block text-meta text-ink-3">{row.user_agent}</span>
      </span>
      {state === 'over' ? (
        <Status tone="unknown">
          {row.date_ended === null ? t('profile:sign_ins.expired') : row.end_reason_display}
        </Status>
      ) : (
        <Status tone="ok">
          {t(state === 'current' ? 'profile:sign_ins.current' : 'profile:sign_ins.open')}
        </Status>
      )}
      {state === 'open' && (
        <Button
          kind="danger"
          aria-label={t('profile:sign_ins.end_it', { address: row.remote_addr })}
          onClick={() => void end()}
        >
          {t('profile:sign_ins.end')}
        </Button>
      )}
    </li>
  );
}

/** The newest sign-ins of the person with a browser, those that are over too. */
export function SignInsCard() {
  const t = useT();
  const query = useQuery({
    queryKey: ['own-sign-ins'],
    queryFn: () =>
      http.get<{ readonly results: readonly SignIn[] }>(PATH, {
        query: { limit: MOST, offset: 0, order: '-date_created' },
        quiet: true,
      }),
    staleTime: 0,
  });
  const rows = query.data?.results;
  return (
    <Card title={t('profile:sign_ins.title')} flush>
      {query.error && (
        <FailedState
          title={t('profile:sign_ins.failed')}
          message={explain(query.error)}
          requestId={requestIdOf(query.error)}
          onRetry={() => void query.refetch()}
        />
      )}
      {!rows && !query.error && (
        <div className="px-3.5 py-2.5" aria-busy="true">
          <SkeletonLines lines={3} />
        </div>
      )}
      <ul>
        {rows?.map((row) => (
          <Row key={row.id} row={row} onEnded={() => void query.refetch()} />
        ))}
      </ul>
      <p className="border-t border-line px-3.5 py-2.5 text-ink-3">{t('profile:sign_ins.note')}</p>
    </Card>
  );
}
