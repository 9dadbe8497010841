import { useNavigate } from '@tanstack/react-router';
import { RefreshCw } from 'lucide-react';
import { type Dispatch, type ReactNode, type SetStateAction, useMemo, useState } from 'react';
import type { QueryValues } from '#/lib/http/query-string';
import { useT } from '#/lib/i18n';
import { queryClient } from '#/lib/query';
import { useMay } from '#/lib/session';
import { exactStamp, parseTime } from '#/lib/time';
import { IconButton } from '#/ui/button';
import { splitTarget } from '#/ui/link';
import { Note } from '#/ui/note';
import { PageHeader } from '#/ui/page';
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
import { countText, RowCount } from './RowCount';
import { type ListControls, useListState } from './list-state';
import { chooseAll } from './select-all';
import { TagSearch } from './tag-search';
import { besideList, useList } from './use-list';
import { useListColumns } from './use-list-columns';
import { useRowActions } from './use-row-actions';
import { useSearchFields } from './use-search-fields';

export interface ResourceListProps<Row extends Resource> {
  readonly resource: ResourceDefinition<Row>;
  /** Fixed conditions of the page (node, user …), which the person cannot remove. */
  readonly query?: QueryValues;
  /** Another endpoint with the same rows, e.g. those of one node. */
  readonly api?: string;
  /** Inside a tab: no page heading, and the state is not in the address. */
  readonly embedded?: boolean;
  /** The main list inside a tab: its state is in the address although it is embedded. */
  readonly addressed?: boolean;
  readonly title?: string;
  /** Content beside the table: node tree. */
  readonly side?: ReactNode;
  /** Query for the create screen, e.g. `?node=…`. */
  readonly createQuery?: string;
  readonly tools?: ReactNode;
  /** Id of the row shown beside the list. */
  readonly current?: string;
  /** Between heading and rows: quick filters. */
  readonly strip?: ReactNode;
}

const NO_QUERY: QueryValues = {};
const NO_FIELDS: FieldMap = {};
const PHONE = '(width < 640px)';

function exactText(value: string): string {
  const time = parseTime(value);
  return time ? exactStamp(time) : value;
}

/** What actions of rows and of the selection need: reload the list, navigate, and drop a deleted row from the selection. */
function useListTools(
  api: string,
  refetch: () => Promise<unknown>,
  setChosen: Dispatch<SetStateAction<ReadonlyMap<string, string>>>,
): ActionTools {
  const navigate = useNavigate();
  return useMemo(
    () => ({
      refresh: () => {
        void refetch();
        void queryClient.invalidateQueries({ queryKey: besideList(api) });
      },
      navigate: (to) => void navigate(splitTarget(to)),
      gone: (id) => setChosen((old) => new Map([...old].filter(([chosenId]) => chosenId !== id))),
    }),
    [api, refetch, navigate, setChosen],
  );
}

/** Shown instead of rows: failed, offline, no match or empty; undefined while there are rows or they are loading. */
function placeholderOf<Row extends Resource>({
  resource: { noun },
  rows,
  error,
  isOffline,
  conditions,
  controls,
  onRetry,
  emptyActions,
}: {
  readonly resource: ResourceDefinition<Row>;
  readonly rows: readonly Row[] | undefined;
  readonly error: Error | null;
  readonly isOffline: boolean;
  readonly conditions: ReturnType<typeof conditionsOf>;
  readonly controls: ListControls;
  readonly onRetry: () => void;
  readonly emptyActions: ReactNode;
}): ReactNode {
  if (error) return <FailedList error={error} noun={noun} online={!isOffline} onRetry={onRetry} />;
  if (isOffline) return <OfflineList noun={noun} onRetry={onRetry} />;
  if (rows?.length !== 0) return undefined;
  if (conditions.length === 0) return <EmptyList noun={noun} actions={emptyActions} />;
  return (
    <NoMatchList
      noun={noun}
      conditions={conditions}
      onClear={() => controls.setFilters({})}
      onWiden={(words) => controls.setFilters({ search: words })}
    />
  );
}

/** Side panel, heading and rows; as a page it fills the window. `announcement` is read out when it changes. */
function ListLayout({
  embedded,
  side,
  announcement,
  heading,
  children,
}: {
  readonly embedded: boolean;
  readonly side: ReactNode;
  readonly announcement: string;
  readonly heading: ReactNode;
  readonly children: ReactNode;
}) {
  return (
    <div
      className={`flex min-h-0 gap-3.5 max-lg:flex-col max-lg:gap-2 ${embedded ? '' : 'max-sm:grow md:h-[calc(100dvh-var(--frame,44px)-34px)]'}`}
    >
      {side}
      <div className="flex min-w-0 grow flex-col gap-2">
        {/* Announces each new result once; the visible count is not a live region. */}
        <p className="sr-only" role="status">
          {announcement}
        </p>
        {heading}
        {children}
      </div>
    </div>
  );
}

/** The list of a resource: search, columns, order, pages, selection, actions. Its state is in the address. */
export function ResourceList<Row extends Resource>(props: ResourceListProps<Row>) {
  const { resource, query = NO_QUERY, api = resource.api, embedded = false, createQuery = '' } = props;
  const t = useT();
  const isPhone = useMedia(PHONE);
  const mayWrite = useMay('admin');
  const online = useOnline();
  const many = t(resource.noun.many);
  const controls = useListState(!embedded || props.addressed === true, resource.list);
  const dates = useDateRange(resource.list.dateRangeDays);
  const metadata = useMetadata(api, query);
  const rows = useList<Row>(api, controls, { ...query, ...dates.query });
  const fields = metadata.data?.actions.GET ?? NO_FIELDS;
  // Until the metadata arrives, the role decides, because buttons that appear late would move the others.
  const allowed =
    mayWrite &&
    (metadata.isPending || metadata.data?.actions.POST !== undefined || resource.can?.create === false);
  const searchFields = useSearchFields(resource, fields);

  const [chosen, setChosen] = useState<ReadonlyMap<string, string>>(new Map());
  const tools = useListTools(api, rows.refetch, setChosen);
  const selectAll = () =>
    chooseAll(api, { ...controls.state.filters, ...query, ...dates.query }, { t, noun: many, setChosen });
  const actionsOf = useRowActions(resource, allowed, tools);
  const { columns, density, settings } = useListColumns(
    resource,
    fields,
    metadata.isSuccess,
    actionsOf !== undefined,
  );
  const exchanges = !embedded || resource.list.exchange !== undefined;
  // People who may only read can still select rows for export.
  const selectable =
    !isPhone &&
    ((allowed && resource.can?.deleteMany !== false) ||
      (exchanges && offersExport(resource.list.exchange, metadata.data) === true));
  const { data, error } = rows;
  const list = metadata.isPending ? undefined : data?.rows;
  const title = props.title ?? t(resource.routes.titles.list);

  const create = <CreateButton resource={resource} query={createQuery} allowed={allowed} tools={tools} />;
  // On a phone the button is at the lower edge, in reach of the thumb.
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
      count: data?.isMinimum === true ? undefined : data?.total,
    },
    metadata: metadata.data,
    mayCreate: allowed,
    tools,
  };
  const mayExchange = !metadata.error && exchanges;
  const isChoosing = chosen.size > 0 && !isPhone;
  const exchange = mayExchange && <ExchangeActions {...exchangeActions} />;

  const placeholder = placeholderOf({
    resource,
    rows: list,
    error: data ? null : error,
    isOffline: !online && !data,
    conditions,
    controls,
    onRetry: tools.refresh,
    emptyActions: (
      <EmptyActions resource={resource} dates={dates}>
        {create}
        {mayExchange && <ExchangeActions {...exchangeActions} importOnly />}
      </EmptyActions>
    ),
  });

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
      rowTotal={data}
      onSelectAll={selectAll}
      allowed={allowed}
      tools={tools}
      query={query}
      exchange={exchange}
    />
  ) : null;
  const tray = <ListTray toolbar={toolbar} bar={bar} />;
  const count = data && <RowCount rowTotal={data} />;
  return (
    <ListLayout
      embedded={embedded}
      side={props.side}
      announcement={data && !rows.isFetching ? countText(t, data) : ''}
      heading={
        embedded ? (
          <div className="flex flex-wrap items-center gap-2">
            {count}
            {tray}
          </div>
        ) : (
          <PageHeader title={title} aside={count} actions={tray} />
        )
      }
    >
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
        rowTotal={data}
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
    </ListLayout>
  );
}
