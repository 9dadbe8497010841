import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { explain } from '#/lib/http/catalogue';
import { http } from '#/lib/http/client';
import { useT } from '#/lib/i18n';
import { useIsRootOrganization } from '#/lib/session';
import { TimeCell } from '#/resource/format';
import { Button } from '#/ui/button';
import { Dialog } from '#/ui/dialog';
import { SkeletonLines } from '#/ui/skeleton';
import { FailedState } from '#/ui/states';
import { Badge } from '#/ui/status';
import { VisibleText } from '#/ui/visible-text';
import { RestoreButton } from '../account-changes';
import { accountName, type AccountRow } from './account-row';

interface Version {
  readonly number: number;
  readonly reason_display: string;
  readonly has_password: boolean;
  readonly has_private_key: boolean;
  readonly ssh_key_fingerprint: string;
  readonly is_current: boolean;
  readonly created_by: string;
  readonly date_created: string;
}

function Entry({ version, children }: { readonly version: Version; readonly children: ReactNode }) {
  const t = useT();
  const what = [
    version.has_password ? t('accounts:secret.password') : '',
    version.has_private_key ? t('accounts:secret.private_key') : '',
  ].filter((text) => text !== '');
  return (
    <li className="grid grid-cols-[88px_minmax(0,1fr)] gap-x-2 border-b border-line py-2 last:border-b-0">
      <span className="text-right font-medium tabular-nums">{version.number}</span>
      <span className="min-w-0 [overflow-wrap:anywhere]">
        <span className="flex flex-wrap items-center gap-x-2">
          <span>{version.reason_display}</span>
          {what.length > 0 && <span className="text-ink-2">{what.join(' · ')}</span>}
          {version.is_current && <Badge>{t('accounts:versions.current')}</Badge>}
        </span>
        {version.ssh_key_fingerprint !== '' && (
          <span className="block font-mono text-meta text-ink-2">{version.ssh_key_fingerprint}</span>
        )}
        <span className="block text-meta text-ink-3">
          <VisibleText text={version.created_by} /> · <TimeCell value={version.date_created} />
        </span>
        {children}
      </span>
    </li>
  );
}

/** Who changed the account's own secret, when and why. */
export function VersionsDialog({
  row,
  onClose,
  onDone,
}: {
  readonly row: AccountRow;
  readonly onClose: () => void;
  /** Called after an earlier secret was restored. */
  readonly onDone: () => void;
}) {
  const t = useT();
  const isRoot = useIsRootOrganization();
  const versions = useQuery({
    queryKey: ['account-versions', row.id, row.version],
    queryFn: ({ signal }) =>
      http.get<readonly Version[]>(`assets/accounts/${row.id}/versions/`, { signal, quiet: true }),
  });
  return (
    <Dialog
      isOpen
      title={t('accounts:versions.title', { name: accountName(row) })}
      onClose={onClose}
      footer={<Button onClick={onClose}>{t('ui:close')}</Button>}
    >
      <p className="pb-2 text-ink-2">{t('accounts:versions.what')}</p>
      {versions.isPending && <SkeletonLines lines={3} />}
      {versions.error && (
        <FailedState
          title={t('accounts:versions.failed')}
          message={explain(versions.error)}
          onRetry={() => void versions.refetch()}
        />
      )}
      {versions.data?.length === 0 && <p className="text-ink-3">{t('accounts:versions.none')}</p>}
      <ul>
        {versions.data?.map((version) => (
          <Entry key={version.number} version={version}>
            {!isRoot && !version.is_current && (version.has_password || version.has_private_key) && (
              <RestoreButton
                account={row}
                number={version.number}
                current={versions.data.find((candidate) => candidate.is_current)?.number ?? row.version}
                onDone={() => {
                  void versions.refetch();
                  onDone();
                }}
              />
            )}
          </Entry>
        ))}
      </ul>
    </Dialog>
  );
}
