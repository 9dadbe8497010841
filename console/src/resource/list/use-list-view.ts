import { useNavigate } from '@tanstack/react-router';
import { type Dispatch, type ReactNode, type SetStateAction, useMemo, useState } from 'react';
import type { QueryValues } from '#/lib/http/query-string';
import { useT } from '#/lib/i18n';
import { queryClient } from '#/lib/query';
import { useMay } from '#/lib/session';
import { splitTarget } from '#/ui/link';
import type { FieldMap } from '../api';
import type { ActionTools, Resource, ResourceDefinition } from '../define';
import { offersExport } from '../exchange/exchange-source';
import { useMedia } from '#/ui/use-media';
import { useMetadata } from '../use-metadata';
import { useOnline } from '../use-online';
import { useDateRange } from './DateRange';
import { useListState } from './list-state';
import { chooseAll } from './select-all';
import { besideList, useList } from './use-list';
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

/** What a list shows and what may be done in it: rows, fields, state of the address, selection. */
export type ListView<Row extends Resource> = ReturnType<typeof useListView<Row>>;

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

/** The state of a `ResourceList`. */
export function useListView<Row extends Resource>(props: ResourceListProps<Row>) {
  const { resource, query = NO_QUERY, api = resource.api, embedded = false } = props;
  const t = useT();
  const isPhone = useMedia(PHONE);
  const mayWrite = useMay('admin');
  const online = useOnline();
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
  const exchanges = !embedded || resource.list.exchange !== undefined;
  return {
    resource,
    query,
    api,
    embedded,
    isPhone,
    controls,
    dates,
    metadata,
    fields,
    allowed,
    searchFields,
    chosen,
    setChosen,
    tools,
    data: rows.data,
    isFetching: rows.isFetching,
    rows: metadata.isPending ? undefined : rows.data?.rows,
    /** Why there are no rows, as long as there are none. */
    error: rows.data ? null : rows.error,
    isOffline: !online && !rows.data,
    mayExchange: exchanges && !metadata.error,
    // People who may only read can still select rows for export.
    selectable:
      !isPhone &&
      ((allowed && resource.can?.deleteMany !== false) ||
        (exchanges && offersExport(resource.list.exchange, metadata.data) === true)),
    isChoosing: chosen.size > 0 && !isPhone,
    selectAll: () =>
      chooseAll(
        api,
        { ...controls.state.filters, ...query, ...dates.query },
        { t, noun: t(resource.noun.many), setChosen },
      ),
  };
}
