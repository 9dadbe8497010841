import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { explain } from '#/lib/http/catalogue';
import { useT } from '#/lib/i18n';
import { byteText } from '#/lib/byte-text';
import { useIsRootOrganization } from '#/lib/session';
import { Card, Definitions } from '#/ui/card';
import { SkeletonLines } from '#/ui/skeleton';
import { FailedState } from '#/ui/states';
import { type Retention, retentionQuery } from './api';
import { DaysForm } from './DaysForm';
import { PreviewCard } from './PreviewCard';

/** The days of sessions and of dangerous sessions. In the view of all organizations each may have its own days. */
function useDaysTexts({ effective_days, risk_days }: Retention): { age: string; risk: string } {
  const t = useT();
  const days = (count: number) => t('retention:count_days', { count });
  if (useIsRootOrganization()) {
    return {
      age: t('retention:days_unless_chosen', { count: effective_days }),
      risk: risk_days === 0 ? t('retention:as_others') : t('retention:days_at_least', { count: risk_days }),
    };
  }
  return { age: days(effective_days), risk: days(Math.max(risk_days, effective_days)) };
}

function RulesCard({ retention }: { readonly retention: Retention }) {
  const t = useT();
  const texts = useDaysTexts(retention);
  return (
    <Card title={t('retention:rules')} flush>
      <Definitions
        items={[
          { label: t('retention:rule.age'), value: texts.age },
          { label: t('retention:rule.risk'), value: texts.risk },
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
