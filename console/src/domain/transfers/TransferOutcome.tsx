import { translate } from '#/lib/i18n';
import { Status } from '#/ui/status';

export interface Transfer {
  readonly is_success: boolean;
  readonly state: 'finished' | 'under_way' | 'interrupted';
}

/** Result of a file operation; unknown while the operation is running. Its texts are in the namespace `transfers`. */
export function TransferOutcome({ row }: { readonly row: Transfer }) {
  if (row.state === 'interrupted') return <Status tone="warn">{translate('transfers:interrupted')}</Status>;
  if (row.state === 'under_way') return <Status tone="unknown">{translate('transfers:under_way')}</Status>;
  return (
    <Status tone={row.is_success ? 'ok' : 'danger'}>
      {translate(row.is_success ? 'transfers:success' : 'transfers:failed')}
    </Status>
  );
}
