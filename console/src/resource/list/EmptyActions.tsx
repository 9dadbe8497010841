import { History } from 'lucide-react';
import type { ReactNode } from 'react';
import { useT } from '#/lib/i18n';
import { useMay } from '#/lib/session';
import { Button } from '#/ui/button';
import { LinkButton } from '#/ui/link';
import type { Resource, ResourceDefinition } from '../define';
import { useBarsWrites } from '../use-bars-writes';
import { type DateRangeState, lookBack, WIDEST_DAYS, isWidest } from './DateRange';

/** Next steps of an empty list: create an object, import, go to the source of the rows, or extend the date range. */
export function EmptyActions<Row extends Resource>({
  resource,
  dates,
  children,
}: {
  readonly resource: ResourceDefinition<Row>;
  readonly dates: DateRangeState;
  /** Create and import. */
  readonly children: ReactNode;
}) {
  const t = useT();
  const { next } = resource.list;
  const isRoot = useBarsWrites(resource);
  const mayAdminister = useMay('admin');
  const mayGo = useMay(next?.permission ?? 'any');
  const isMadeElsewhere = isRoot && mayAdminister && resource.routes.paths.create !== undefined;
  return (
    <>
      {children}
      {isMadeElsewhere && <span className="text-ink-2">{t('resource:empty.in_root')}</span>}
      {resource.list.steps?.()}
      {next && mayGo && !isMadeElsewhere && <LinkButton to={next.to}>{t(next.label)}</LinkButton>}
      {dates.isOn && !isWidest(dates) && (
        <Button icon={History} onClick={() => lookBack(dates)}>
          {t('resource:dates.look_back', { count: WIDEST_DAYS })}
        </Button>
      )}
    </>
  );
}
