import { useQuery } from '@tanstack/react-query';
import { explain, requestIdOf } from '#/lib/http/catalogue';
import { useT } from '#/lib/i18n';
import { TimeCell } from '#/resource/format';
import { endTrust, fetchTrusted, type TrustedBrowser } from '#/domain/passkeys/api';
import { Button } from '#/ui/button';
import { Card } from '#/ui/card';
import { FailedState } from '#/ui/states';
import { toast } from '#/ui/toast';

function Row({ browser, onEnded }: { readonly browser: TrustedBrowser; readonly onEnded: () => void }) {
  const t = useT();
  const end = async () => {
    try {
      await endTrust(browser.id);
      toast({ tone: 'ok', text: t('passkeys:trusted.ended') });
    } catch (error) {
      toast({ tone: 'error', text: explain(error) });
    }
    onEnded();
  };
  return (
    <li className="flex flex-wrap items-center gap-x-3 gap-y-1 border-t border-line px-3.5 py-2.5 first:border-t-0">
      <span className="min-w-24 font-semibold">{browser.remote_addr}</span>
      <span className="min-w-0 grow basis-48 text-ink-2 [overflow-wrap:anywhere]">
        {t('passkeys:trusted.until')} <TimeCell value={browser.date_expired} />
        <span className="block text-meta text-ink-3">{browser.user_agent}</span>
      </span>
      <Button
        kind="danger"
        aria-label={t('passkeys:trusted.end_it', { address: browser.remote_addr })}
        onClick={() => void end()}
      >
        {t('passkeys:trusted.end')}
      </Button>
    </li>
  );
}

/** The browsers that the person trusts at the second factor. */
export function TrustedBrowsersCard() {
  const t = useT();
  const query = useQuery({ queryKey: ['trusted-browsers'], queryFn: fetchTrusted, staleTime: 0 });
  const rows = query.data;
  return (
    <Card title={t('passkeys:trusted.title')} flush>
      {query.error && (
        <FailedState
          title={t('passkeys:trusted.failed')}
          message={explain(query.error)}
          requestId={requestIdOf(query.error)}
          onRetry={() => void query.refetch()}
        />
      )}
      {rows?.length === 0 && <p className="px-3.5 py-2.5 text-ink-3">{t('passkeys:trusted.none')}</p>}
      <ul>
        {rows?.map((browser) => (
          <Row key={browser.id} browser={browser} onEnded={() => void query.refetch()} />
        ))}
      </ul>
    </Card>
  );
}
