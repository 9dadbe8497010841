import { useT } from '#/lib/i18n';
import { exactStamp, parseTime } from '#/lib/time';
import { Note } from '#/ui/note';
import type { Resource } from '../define';
import { ExchangeActions } from '../exchange/ExchangeActions';
import { EmptyActions } from './EmptyActions';
import { CreateButton } from './ListActions';
import { ListHeading } from './ListHeading';
import { useListInstead } from './use-list-instead';
import { ListLayout } from './ListLayout';
import { ListRows } from './ListRows';
import { countText } from './RowCount';
import { useListColumns } from './use-list-columns';
import { type ListView, type ResourceListProps, useListView } from './use-list-view';
import { useRowActions } from './use-row-actions';

function exactText(value: string): string {
  const time = parseTime(value);
  return time ? exactStamp(time) : value;
}

/** Export and import of what the list shows. */
function Exchange<Row extends Resource>({
  view,
  importOnly = false,
}: {
  readonly view: ListView<Row>;
  readonly importOnly?: boolean;
}) {
  const { api, query, controls, dates, chosen, data } = view;
  return (
    view.mayExchange && (
      <ExchangeActions
        resource={view.resource}
        source={{
          api,
          place: query,
          filters: { ...controls.state.filters, ...dates.query },
          order: controls.state.order,
          chosen,
          count: data?.isMinimum === true ? undefined : data?.total,
        }}
        metadata={view.metadata.data}
        mayCreate={view.allowed}
        tools={view.tools}
        importOnly={importOnly}
      />
    )
  );
}

/** The list of a resource: search, columns, order, pages, selection, actions. Its state is in the address. */
export function ResourceList<Row extends Resource>(props: ResourceListProps<Row>) {
  const t = useT();
  const view = useListView(props);
  const { resource, data, tools, isPhone, embedded } = view;
  const actionsOf = useRowActions(resource, view.allowed, tools);
  const { columns, density, settings } = useListColumns(
    resource,
    view.fields,
    view.metadata.isSuccess,
    actionsOf !== undefined,
  );
  const title = props.title ?? t(resource.routes.titles.list);
  const create = (
    <CreateButton
      resource={resource}
      query={props.createQuery ?? ''}
      allowed={view.allowed}
      fields={view.metadata.data?.actions.POST}
      tools={tools}
    />
  );
  // On a phone the button is at the lower edge, in reach of the thumb.
  const atFoot = isPhone && !embedded;
  const placeholder = useListInstead(
    view,
    <EmptyActions resource={resource} dates={view.dates}>
      {create}
      <Exchange view={view} importOnly />
    </EmptyActions>,
  );
  return (
    <ListLayout
      embedded={embedded}
      side={props.side}
      announcement={data && !view.isFetching ? countText(t, data) : ''}
      heading={
        <ListHeading
          view={view}
          title={title}
          own={props.tools}
          settings={settings}
          exchange={<Exchange view={view} />}
          create={!atFoot && create}
        />
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
        rows={view.rows}
        rowTotal={data}
        busy={view.isFetching}
        controls={view.controls}
        chosen={view.selectable ? view.chosen : undefined}
        onChosen={view.setChosen}
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
