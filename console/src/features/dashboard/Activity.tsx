import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useT } from '#/lib/i18n';
import { Button } from '#/ui/button';
import { Card } from '#/ui/card';
import { type Days, metrics } from './api';
import { linesOf } from './lines';
import { LineChart } from './LineChart';
import { Loaded } from './Loaded';

/** Sessions, users and assets of each day, as a chart or as a table. */
export function Activity({ days }: { readonly days: Days }) {
  const t = useT();
  const [isTable, setTable] = useState(false);
  return (
    <Card
      title={t('dashboard:activity')}
      aside={t('dashboard:per_day')}
      actions={
        <Button kind="text" size="sm" aria-pressed={isTable} onClick={() => setTable(!isTable)}>
          {t('dashboard:as_table')}
        </Button>
      }
    >
      <Loaded query={useQuery(metrics(days))} lines={8}>
        {(data) =>
          isTable ? (
            <DayTable dates={data.dates_metrics_date} lines={linesOf(data)} />
          ) : (
            <LineChart dates={data.dates_metrics_date} lines={linesOf(data)} />
          )
        }
      </Loaded>
    </Card>
  );
}

function DayTable({
  dates,
  lines,
}: {
  readonly dates: readonly string[];
  readonly lines: ReturnType<typeof linesOf>;
}) {
  const t = useT();
  return (
    <div className="overflow-auto" style={{ maxHeight: 264 }}>
      <table className="w-full text-right tabular-nums">
        <thead>
          <tr className="text-ink-2">
            <th className="text-left font-normal">{t('dashboard:day')}</th>
            {lines.map(({ name }) => (
              <th key={name} className="font-normal">
                {t(name)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {dates.map((date, place) => (
            <tr key={date} className="border-t border-line">
              <th className="py-1 text-left font-normal">{date}</th>
              {lines.map(({ name, values }) => (
                <td key={name}>{(values[place] ?? 0).toLocaleString()}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
