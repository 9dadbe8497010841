import { useQuery } from '@tanstack/react-query';
import type { Api } from '#/lib/api-types';
import { http } from '#/lib/http/client';
import { translate, useT } from '#/lib/i18n';
import { fetchPage } from '#/resource/api';
import { TimeCell } from '#/resource/format';
import { Button } from '#/ui/button';
import { Card } from '#/ui/card';
import { confirm } from '#/ui/confirm';
import type { Icon } from '#/ui/icon';
import { toast } from '#/ui/toast';

type HostKeyRow = Pick<
  Api<'HostKey'>,
  'id' | 'key_type' | 'fingerprint' | 'host' | 'port' | 'via' | 'date_created' | 'refused_fingerprint'
>;

/** Whose keys are shown: the name of the filter, and its value. */
type Owner = { readonly asset: string } | { readonly gateway: string };

/**
 * Host keys stored at the first connection. If the host presents another key, connections are refused until the stored
 * key is deleted here.
 */
export function HostKeys({ owner, icon: IconOf }: { readonly owner: Owner; readonly icon: Icon }) {
  const t = useT();
  const keys = useQuery({
    queryKey: ['host-keys', owner],
    queryFn: () => fetchPage<HostKeyRow>('assets/host-keys/', { ...owner, limit: 20, offset: 0 }),
  });
  const forget = async (row: HostKeyRow, name: string) => {
    const isDeleted = await confirm({
      title: t('assets:host_key.forget_question'),
      effect: t('assets:host_key.forget_effect'),
      names: [name],
      confirmLabel: t('assets:host_key.forget'),
      danger: true,
      run: () => http.delete(`assets/host-keys/${row.id}/`, { quiet: true }),
    });
    if (isDeleted) {
      toast({ tone: 'ok', text: translate('assets:host_key.forgotten') });
      await keys.refetch();
    }
  };
  const rows = keys.data?.results ?? [];
  return (
    <Card title={t('assets:host_key.title')} flush>
      {keys.data && rows.length === 0 && (
        <p className="px-3.5 py-2.5 text-ink-3">{t('assets:host_key.none')}</p>
      )}
      <ul>
        {rows.map((row) => (
          <li
            key={row.id}
            className="flex flex-wrap items-start justify-end gap-x-3 gap-y-1.5 border-b border-line px-3.5 py-2 last:border-b-0"
          >
            <IconOf className="mt-0.5 flex-none text-ink-3" aria-hidden />
            <Pinned row={row} />
            <Button
              size="sm"
              kind="danger"
              onClick={() => void forget(row, `${row.key_type} ${row.fingerprint}`)}
            >
              {t('assets:host_key.forget')}
            </Button>
          </li>
        ))}
      </ul>
    </Card>
  );
}

/** A stored key: what it is, where it was seen, and a different key that was refused since. */
function Pinned({ row }: { readonly row: HostKeyRow }) {
  const t = useT();
  const place = `${row.host}:${row.port}`;
  return (
    <span className="min-w-0 flex-1 basis-48 [overflow-wrap:anywhere]">
      {row.key_type}
      <span className="block font-mono text-meta text-ink-2">{row.fingerprint}</span>
      <span className="block text-meta text-ink-3">
        {row.via ? t('assets:host_key.place_via', { place, via: row.via }) : place}
        {' · '}
        <TimeCell value={row.date_created} />
      </span>
      {row.refused_fingerprint && (
        <span className="block text-meta text-danger">
          {t('assets:host_key.refused', { fingerprint: row.refused_fingerprint })}
        </span>
      )}
    </span>
  );
}
