import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { explain } from '#/lib/http/catalogue';
import { useT } from '#/lib/i18n';
import { byteText } from '#/lib/byte-text';
import { Card, Definitions } from '#/ui/card';
import { SkeletonLines } from '#/ui/skeleton';
import { FailedState } from '#/ui/states';
import { type Retention, retentionQuery } from './api';
import { DaysForm } from './DaysForm';
import { PreviewCard } from './PreviewCard';

function RulesCard({ retention }: { readonly retention: Retention }) {
  const t = useT();
  const days = (count: number) => t('retention:count_days', { count });
  return (
    <Card title={t('retention:rules')} flush>
      <Definitions
        items={[
          { label: t('retention:rule.age'), value: days(retention.effective_days) },
          {
            label: t('retention:rule.risk'),
            value: days(Math.max(retention.risk_days, retention.effective_days)),
          },
          {
            label: t('retention:rule.size'),
            value:
              retention.size_limit === 0
                ? t('retention:no_limit')
                : t('retention:limit', {
                    size: byteText(retention.size_limit),
                    count: retention.size_min_age_days,
                  }),
          },
        ]}
      />
    </Card>
  );
}

/** How long the organization keeps its sessions, and what would be deleted now. */
export function RetentionPanel() {
  const t = useT();
  const [days, setDays] = useState<number | null>(null);
  const retention = useQuery(retentionQuery);
  if (retention.isPending) return <SkeletonLines />;
  if (retention.isError) {
    return (
      <FailedState
        title={t('retention:not_loaded')}
        message={explain(retention.error)}
        onRetry={() => void retention.refetch()}
      />
    );
  }
  const note = days === null ? {} : { note: t('retention:preview_of', { count: days }) };
  return (
    <div className="grid items-start gap-3.5 lg:grid-cols-2">
      <div className="grid gap-3.5">
        <RulesCard retention={retention.data} />
        <DaysForm retention={retention.data} onTry={setDays} />
      </div>
      <PreviewCard question={{ days }} {...note} />
    </div>
  );
}
