import { useNavigate } from '@tanstack/react-router';
import { RefreshCw } from 'lucide-react';
import { type ReactNode, useMemo, useState } from 'react';
import { explain } from '#/lib/http/catalogue';
import type { QueryValues } from '#/lib/http/query-string';
import { useT } from '#/lib/i18n';
import { queryClient } from '#/lib/query';
import { useMay } from '#/lib/session';
import { exactStamp, parseTime } from '#/lib/time';
import { IconButton } from '#/ui/button';
import { splitTarget } from '#/ui/link';
import { Note } from '#/ui/note';
import { PageHeader } from '#/ui/page';
import { toast } from '#/ui/toast';
import type { FieldMap } from '../api';
import type { ActionTools, Resource, ResourceDefinition } from '../define';
import { ExchangeActions } from '../exchange/ExchangeActions';
import { offersExport } from '../exchange/exchange-source';
import { useMedia } from '#/ui/use-media';
import { useMetadata } from '../use-metadata';
import { useOnline } from '../use-online';
import { DateRange, useDateRange } from './DateRange';
import { ActionBar, CreateButton } from './ListActions';
import { EmptyActions } from './EmptyActions';
import { conditionsOf, EmptyList, FailedList, NoMatchList, OfflineList } from './ListPlaceholder';
import { ListRows } from './ListRows';
import { ListTray } from './ListTray';
import { RowCount } from './RowCount';
import { useListState } from './list-state';
import { fetchAllIds } from './select-all';
import { TagSearch } from './tag-search';
import { besideList, useList } from './use-list';
import { useListColumns } from './use-list-columns';
import { useRowActions } from './use-row-actions';
import { useSearchFields } from './use-search-fields';

export interface ResourceListProps<Row extends Resource> {
  readonly resource: ResourceDefinition<Row>;
  /** Conditions that the place itself sets (node, user …) and the person can not remove. */
  readonly query?: QueryValues;
  /** Another endpoint with the same rows, e.g. those of one node. */
  readonly api?: string;
  /** Inside a tab: no page heading, state not in the address. */
  readonly embedded?: boolean;
  readonly title?: string;
  /** Beside the table: node tree. */
  readonly side?: ReactNode;
  /** Query for the create screen, e.g. `?node=…`. */
  readonly createQuery?: string;
  readonly tools?: ReactNode;
  /** Id of the row that is shown beside the list. */
  readonly current?: string;
  /** Between heading and rows: quick choices. */
  readonly strip?: ReactNode;
}

const NO_QUERY: QueryValues = {};
const NO_FIELDS: FieldMap = {};
const PHONE = '(width < 640px)';

function exactText(value: string): string {
  const time = parseTime(value);
  return time ? exactStamp(time) : value;
}

/** The list of a resource: search, columns, order, pages, selection, actions; its state lives in the address. */
export function ResourceList<Row extends Resource>(props: ResourceListProps<Row>) {
  const { resource, query = NO_QUERY, api = resource.api, embedded = false, createQuery = '' } = props;
  const t = useT();
  const navigate = useNavigate();
  const isPhone = useMedia(PHONE);
  const mayWrite = useMay('admin');
  const online = useOnline();
  const many = t(resource.noun.many);
  const controls = useListState(!embedded, resource.list);
  const dates = useDateRange(resource.list.dateRangeDays);
  const metadata = useMetadata(api, query);
  const rows = useList<Row>(api, controls, { ...query, ...dates.query });
  const fields = metadata.data?.actions.GET ?? NO_FIELDS;
  // Until the metadata has come, the role decides: what appears late would move what is already there.
  const allowed =
    mayWrite &&
    (metadata.isPending || metadata.data?.actions.POST !== undefined || resource.can?.create === false);
  const searchFields = useSearchFields(resource, fields);

  const [chosen, setChosen] = useState<ReadonlyMap<string, string>>(new Map());

  const { refetch } = rows;
  const tools: ActionTools = useMemo(
    () => ({
      refresh: () => {
        void refetch();
        void queryClient.invalidateQueries({ queryKey: besideList(api) });
      },
      navigate: (to) => void navigate(splitTarget(to)),
      gone: (id) => setChosen((old) => new Map([...old].filter(([one]) => one !== id))),
    }),
    [api, refetch, navigate],
  );
  const selectAll = async () => {
    try {
      const ids = await fetchAllIds(api, { ...controls.state.filters, ...query, ...dates.query });
      setChosen((old) => new Map(ids.map((id) => [id, old.get(id) ?? ''])));
    } catch (failure) {
      toast({ tone: 'error', text: t('resource:failed', { noun: many }), detail: explain(failure) });
    }
  };
  const actionsOf = useRowActions(resource, allowed, tools);
  const { columns, density, settings } = useListColumns(
    resource,
    fields,
    metadata.isSuccess,
    actionsOf !== undefined,
  );
  const exchanges = !embedded || resource.list.exchange !== undefined;
  // Who may only read still chooses rows to export.
  const selectable =
    !isPhone &&
    ((allowed && resource.can?.deleteMany !== false) ||
      (exchanges && offersExport(resource.list.exchange, metadata.data) === true));
  const { data, error } = rows;
  const list = metadata.isPending ? undefined : data?.rows;
  const title = props.title ?? t(resource.routes.titles.list);

  const create = <CreateButton resource={resource} query={createQuery} allowed={allowed} tools={tools} />;
  // On a phone the thumb finds it at the lower edge.
  const atFoot = isPhone && !embedded;
  const conditions = conditionsOf(controls.state.filters, searchFields, t);

  const exchangeActions = {
    resource,
    source: {
      api,
      place: query,
      filters: { ...controls.state.filters, ...dates.query },
      order: controls.state.order,
      chosen,
      count: data?.total,
    },
    metadata: metadata.data,
    mayCreate: allowed,
    tools,
  };
  const mayExchange = !metadata.error && exchanges;
  const isChoosing = chosen.size > 0 && !isPhone;
  const exchange = mayExchange && <ExchangeActions {...exchangeActions} />;

  let placeholder: ReactNode;
  if (error && !data) {
    placeholder = <FailedList error={error} noun={resource.noun} online={online} onRetry={tools.refresh} />;
  } else if (!online && !data) placeholder = <OfflineList noun={resource.noun} onRetry={tools.refresh} />;
  else if (list?.length === 0) {
    placeholder =
      conditions.length > 0 ? (
        <NoMatchList
          noun={resource.noun}
          conditions={conditions}
          onClear={() => controls.setFilters({})}
          onWiden={(words) => controls.setFilters({ search: words })}
        />
      ) : (
        <EmptyList
          noun={resource.noun}
          actions={
            <EmptyActions resource={resource} dates={dates}>
              {create}
              {mayExchange && <ExchangeActions {...exchangeActions} importOnly />}
            </EmptyActions>
          }
        />
      );
  }

  const toolbar = (
    <>
      {props.tools}
      {dates.isOn && <DateRange range={dates} />}
      <TagSearch fields={searchFields} value={controls.state.filters} onChange={controls.setFilters} />
      {!isPhone && settings}
      <IconButton icon={RefreshCw} label={t('resource:refresh')} onClick={tools.refresh} />
      {!isChoosing && exchange}
      {resource.list.header?.(tools)}
      {!atFoot && create}
    </>
  );
  const bar = isChoosing ? (
    <ActionBar
      resource={resource}
      chosen={chosen}
      api={api}
      onChosen={setChosen}
      onClear={() => setChosen(new Map())}
      count={data?.total ?? 0}
      onSelectAll={selectAll}
      allowed={allowed}
      tools={tools}
      query={query}
      exchange={exchange}
    />
  ) : null;
  const tray = <ListTray toolbar={toolbar} bar={bar} />;
  const count = data && <RowCount found={data} />;
  return (
    <div
      className={`flex min-h-0 gap-3.5 max-lg:flex-col max-lg:gap-2 ${embedded ? '' : 'max-sm:grow md:h-[calc(100dvh-var(--frame,44px)-34px)]'}`}
    >
      {props.side}
      <div className="flex min-w-0 grow flex-col gap-2">
        {/* Told once for each new result; the visible count does not speak. */}
        <p className="sr-only" role="status">
          {data && !rows.isFetching ? t('resource:count', { count: data.total }) : ''}
        </p>
        {embedded ? (
          <div className="flex flex-wrap items-center gap-2">
            {count}
            {tray}
          </div>
        ) : (
          <PageHeader title={title} aside={count} actions={tray} />
        )}
        {props.strip}
        {data?.searchedFrom !== undefined && (
          <Note>{t('resource:searched_from', { time: exactText(data.searchedFrom) })}</Note>
        )}
        <ListRows
          resource={resource}
          title={title}
          columns={columns}
          density={density}
          rows={list}
          found={data}
          busy={rows.isFetching}
          controls={controls}
          chosen={selectable ? chosen : undefined}
          onChosen={setChosen}
          actions={actionsOf}
          placeholder={placeholder}
          isPhone={isPhone}
          embedded={embedded}
          current={props.current}
        />
        {atFoot && placeholder === undefined && (
          <div className="sticky bottom-0 z-(--z-sticky) -mx-3 -mb-3 grid border-t border-line bg-bg p-3 empty:hidden">
            {create}
          </div>
        )}
      </div>
    </div>
  );
}
