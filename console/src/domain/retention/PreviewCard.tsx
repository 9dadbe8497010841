import { useQuery } from '@tanstack/react-query';
import { RefreshCw } from 'lucide-react';
import { explain } from '#/lib/http/catalogue';
import { useT } from '#/lib/i18n';
import { byteText } from '#/lib/byte-text';
import { minuteStamp, parseTime } from '#/lib/time';
import { Button } from '#/ui/button';
import { Card } from '#/ui/card';
import { SkeletonLines } from '#/ui/skeleton';
import { type Amount, type Forecast, previewQuery, type Question } from './api';

function AmountText({ amount }: { readonly amount: Amount }) {
  const t = useT();
  const [oldest, newest] = [parseTime(amount.oldest), parseTime(amount.newest)];
  return (
    <>
      {t('retention:sessions', { count: amount.sessions })} ·{' '}
      {t('retention:recordings', { count: amount.recordings })} · {byteText(amount.bytes)}
      {oldest && newest && (
        <div className="text-meta text-ink-3">
          {t('retention:ended', { oldest: minuteStamp(oldest), newest: minuteStamp(newest) })}
        </div>
      )}
    </>
  );
}

function OrganizationRow({ forecast: { org_name, due, held } }: { readonly forecast: Forecast }) {
  const t = useT();
  return (
    <li className="grid gap-1 border-b border-line py-2 last:border-b-transparent">
      <h3 className="font-semibold [overflow-wrap:anywhere]">{org_name}</h3>
      <div>
        {t('retention:due')}: <AmountText amount={due} />
      </div>
      {held.sessions > 0 && (
        <div>
          {t('retention:held')}: <AmountText amount={held} />
        </div>
      )}
    </li>
  );
}

/**
 * A dry run: what retention would delete now. `note` says for which rules, if not for those in use. `onDemand`: the server
 * computes it when the button is pressed, and not before.
 */
export function PreviewCard({
  question,
  note,
  onDemand = false,
}: {
  readonly question: Question;
  readonly note?: string;
  readonly onDemand?: boolean;
}) {
  const t = useT();
  const preview = useQuery({ ...previewQuery(question), enabled: !onDemand });
  return (
    <Card
      title={t('retention:preview')}
      actions={
        <Button size="sm" icon={RefreshCw} busy={preview.isFetching} onClick={() => void preview.refetch()}>
          {t(preview.isFetched ? 'retention:again' : 'retention:show')}
        </Button>
      }
    >
      <p className="text-ink-2">{note ?? t('retention:preview_help')}</p>
      {preview.isLoading && <SkeletonLines lines={3} />}
      {preview.isError && (
        <p role="alert" className="text-danger">
          {explain(preview.error)}
        </p>
      )}
      <div role="status">
        {preview.data?.length === 0 && <p className="mt-2">{t('retention:nothing')}</p>}
        <ul>
          {preview.data?.map((forecast) => (
            <OrganizationRow key={forecast.org_id} forecast={forecast} />
          ))}
        </ul>
      </div>
    </Card>
  );
}
