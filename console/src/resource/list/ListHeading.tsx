import { RefreshCw } from 'lucide-react';
import type { ReactNode } from 'react';
import { useT } from '#/lib/i18n';
import { IconButton } from '#/ui/button';
import { PageHeader } from '#/ui/page';
import type { Resource } from '../define';
import { DateRange } from './DateRange';
import { ActionBar } from './ListActions';
import { ListTray } from './ListTray';
import { RowCount } from './RowCount';
import { TagSearch } from './tag-search';
import type { ListView } from './use-list-view';

/** Title, number of rows and toolbar; while rows are selected also what can be done with them. */
export function ListHeading<Row extends Resource>({
  view,
  title,
  own,
  settings,
  exchange,
  create,
}: {
  readonly view: ListView<Row>;
  readonly title: string;
  /** Tools of the page. */
  readonly own: ReactNode;
  readonly settings: ReactNode;
  readonly exchange: ReactNode;
  readonly create: ReactNode;
}) {
  const t = useT();
  const { resource, controls, dates, tools, data } = view;
  const toolbar = (
    <>
      {own}
      {dates.isOn && <DateRange range={dates} />}
      <TagSearch fields={view.searchFields} value={controls.state.filters} onChange={controls.setFilters} />
      {!view.isPhone && settings}
      <IconButton icon={RefreshCw} label={t('resource:refresh')} onClick={tools.refresh} />
      {!view.isChoosing && exchange}
      {resource.list.header?.(tools)}
      {create}
    </>
  );
  const bar = view.isChoosing ? (
    <ActionBar
      resource={resource}
      chosen={view.chosen}
      api={view.api}
      onChosen={view.setChosen}
      onClear={() => view.setChosen(new Map())}
      rowTotal={data}
      onSelectAll={view.selectAll}
      allowed={view.allowed}
      tools={tools}
      query={view.query}
      exchange={exchange}
    />
  ) : null;
  const tray = <ListTray toolbar={toolbar} bar={bar} />;
  const count = data && <RowCount rowTotal={data} />;
  if (!view.embedded) return <PageHeader title={title} aside={count} actions={tray} />;
  return (
    <div className="flex flex-wrap items-center gap-2">
      {count}
      {tray}
    </div>
  );
}
