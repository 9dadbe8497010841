import { useQuery } from '@tanstack/react-query';
import { useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { Copy, Pencil, Trash2 } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { explain, requestIdOf } from '#/lib/http/catalogue';
import { http } from '#/lib/http/client';
import { NotFoundError } from '#/lib/http/errors';
import { useT } from '#/lib/i18n';
import { queryClient } from '#/lib/query';
import { mayUse } from '#/lib/permissions';
import { useMay, useSession } from '#/lib/session';
import { readCookie, writeCookie } from '#/lib/storage';
import { Button } from '#/ui/button';
import { Card, type Definition, Definitions } from '#/ui/card';
import { Switch } from '#/ui/choice';
import { LinkButton, splitTarget } from '#/ui/link';
import { PageHeader } from '#/ui/page';
import { SkeletonLines } from '#/ui/skeleton';
import { FailedState } from '#/ui/states';
import { Tabs } from '#/ui/tabs';
import type { FieldMap } from '../api';
import type {
  ActionTools,
  DetailDefinition,
  DetailField,
  QuickAction,
  Resource,
  ResourceDefinition,
} from '../define';
import { AutoCell, textOf, valueOf } from '../format';
import { deleteObject, whyFixed, whyKept } from '../list/object-actions';
import { objectPath } from '../routes';
import { useBarsWrites } from '../use-bars-writes';
import { useMetadata } from '../use-metadata';

const TAB_COOKIE = 'activeTab';
const BASIC = 'basic';

/** The open tab: from the address, else the last tab stored in the cookie, else the first. */
export function useActiveTab(ids: readonly string[]): readonly [string, (id: string) => void] {
  const { activeTab }: { activeTab?: string } = useSearch({ strict: false });
  const navigate = useNavigate();
  const wanted = activeTab ?? readCookie(TAB_COOKIE) ?? '';
  const current = ids.includes(wanted) ? wanted : (ids[0] ?? '');
  const select = (id: string) => {
    writeCookie(TAB_COOKIE, id);
    void navigate({
      to: '.',
      search: (old: Record<string, string>) => ({ ...old, activeTab: id }),
      replace: true,
      resetScroll: false,
    });
  };
  return [current, select];
}

function Quick<Row>({
  action,
  row,
  tools,
}: {
  readonly action: QuickAction<Row>;
  readonly row: Row;
  readonly tools: ActionTools;
}) {
  const t = useT();
  const [busy, setBusy] = useState(false);
  const IconOf = action.icon;
  const { control } = action;
  const reason = action.disabledReason?.(row);
  const label = t(action.label);
  const run = async (work: Promise<unknown> | void) => {
    setBusy(true);
    try {
      await work;
      tools.refresh();
    } catch {
      // The http client has shown the error; the switch returns to the state of the reloaded object.
    } finally {
      setBusy(false);
    }
  };
  return (
    // Text keeps a readable width; a long button wraps below it.
    <li className="flex min-h-10 flex-wrap items-center gap-x-3 gap-y-1.5 border-b border-line px-3.5 py-1.5 last:border-b-0">
      <IconOf className="flex-none text-ink-3" aria-hidden />
      <span className="min-w-0 flex-1 basis-40">
        {label}
        {(reason ?? action.state) !== undefined && (
          <span className="block text-meta text-ink-3">{reason ?? action.state?.(row)}</span>
        )}
      </span>
      {control.kind === 'switch' ? (
        <Switch
          aria-label={label}
          checked={control.value(row)}
          disabled={busy || reason !== undefined}
          onChange={(event) => void run(control.change(row, event.target.checked))}
        />
      ) : (
        <Button
          className="ml-auto"
          busy={busy}
          disabledReason={reason}
          onClick={() => void run(control.run(row, tools))}
        >
          {t(control.label)}
        </Button>
      )}
    </li>
  );
}

function BasicTab<Row extends Resource>({
  definition,
  row,
  fields,
  tools,
}: {
  readonly definition: DetailDefinition<Row>;
  readonly row: Row;
  readonly fields: FieldMap;
  readonly tools: ActionTools;
}) {
  const t = useT();
  const mayWrite = useMay('admin');
  const quick = (definition.quick ?? []).filter((action) => action.isOffered?.(row) ?? true);
  const lead = definition.lead?.(row);
  const side: ReactNode = mayWrite ? definition.side?.(row, tools) : null;
  const hasSide = mayWrite && (quick.length > 0 || Boolean(side));
  return (
    <div
      className={`grid grid-cols-1 items-start gap-3.5 ${hasSide ? 'md:grid-cols-[minmax(0,1fr)_348px]' : ''}`}
    >
      {lead && <div className="col-span-full">{lead}</div>}
      <div className="grid grid-cols-1 gap-3">
        {definition.cards.map((card) => {
          const specs: readonly DetailField<Row>[] = card.fields.map((entry) =>
            typeof entry === 'string' ? { key: entry } : entry,
          );
          const items: Definition[] = specs
            .filter((spec) => spec.isShown?.(row) ?? true)
            .map((spec) => {
              const meta = fields[spec.key] ?? fields[spec.key.replace(/_display$/, '')];
              return {
                label: spec.label === undefined ? (meta?.label ?? spec.key) : t(spec.label),
                value: spec.value ? (
                  spec.value(row)
                ) : (
                  <AutoCell row={row} name={spec.key} meta={meta} inWords />
                ),
              };
            });
          return (
            <Card key={card.title} title={t(card.title)} actions={mayWrite && card.actions?.(row)} flush>
              <Definitions items={items} />
            </Card>
          );
        })}
      </div>
      {hasSide && (
        <div className="grid grid-cols-1 gap-3">
          {quick.length > 0 && (
            <Card title={t('resource:quick')} flush>
              <ul>
                {quick.map((action) => (
                  <Quick key={action.id} action={action} row={row} tools={tools} />
                ))}
              </ul>
            </Card>
          )}
          {side}
        </div>
      )}
    </div>
  );
}

/** Update, clone and delete, as far as the resource has them. */
function HeadingActions<Row extends Resource>({
  resource,
  row,
  onDeleted,
}: {
  readonly resource: ResourceDefinition<Row>;
  readonly row: Row;
  readonly onDeleted: () => void;
}) {
  const t = useT();
  const isRoot = useBarsWrites(resource);
  const { routes, can = {} } = resource;
  const mayUpdate = resource.form !== undefined && routes.paths.update !== undefined;
  const whyNotUpdated = isRoot ? t('resource:not_in_root') : whyFixed(resource, row);
  const mayDelete = can.delete !== undefined && (can.mayDelete?.() ?? true);
  const remove = async () => {
    if (!(await deleteObject(resource, row))) return;
    // Removed from the cache, so that the list does not show the deleted object.
    queryClient.removeQueries({ queryKey: ['list', resource.api] });
    onDeleted();
  };
  return (
    <>
      {mayUpdate &&
        (whyNotUpdated === undefined ? (
          <LinkButton to={objectPath(routes.paths.update, row.id)} icon={Pencil}>
            {t('resource:action.update')}
          </LinkButton>
        ) : (
          <Button icon={Pencil} disabledReason={whyNotUpdated}>
            {t('resource:action.update')}
          </Button>
        ))}
      {mayUpdate && !isRoot && can.clone !== false && (
        <LinkButton to={`${routes.paths.create}?clone_from=${row.id}`} icon={Copy}>
          {t('resource:action.clone')}
        </LinkButton>
      )}
      {mayDelete && (
        <Button
          kind="danger"
          icon={Trash2}
          disabledReason={whyKept(resource, row)}
          onClick={() => void remove()}
        >
          {t('resource:action.delete')}
        </Button>
      )}
    </>
  );
}

/** Page of one object: heading with actions, tabs, cards, quick actions. */
export function ResourceDetail<Row extends Resource>({
  resource,
}: {
  readonly resource: ResourceDefinition<Row>;
}) {
  const t = useT();
  const navigate = useNavigate();
  const mayWrite = useMay('admin');
  const { id = '' }: { id?: string } = useParams({ strict: false });
  const { detail: definition, routes } = resource;
  const object = useQuery({
    queryKey: ['object', resource.api, id],
    queryFn: () => http.get<Row>(`${resource.api}${id}/`, { quiet: true }),
    staleTime: 0,
  });
  const metadata = useMetadata(`${resource.api}${id}/`, undefined, object.isSuccess);
  const { currentRole } = useSession();
  const tabs = (definition?.tabs ?? []).filter(({ permission = 'any' }) => mayUse(currentRole, permission));
  const [tab, setTab] = useActiveTab([BASIC, ...tabs.map((entry) => entry.id)]);
  const back = {
    to: (object.data && definition?.backTo?.(object.data)) ?? routes.paths.list,
    label: t(routes.titles.list),
  };
  const tools: ActionTools = {
    refresh: () => void object.refetch(),
    navigate: (to) => void navigate(splitTarget(to)),
  };
  if (!definition) return null;
  if (object.error) {
    const gone = object.error instanceof NotFoundError;
    return (
      <>
        <PageHeader title={t(routes.titles.detail ?? routes.titles.list)} back={back} />
        <FailedState
          title={t(gone ? 'resource:gone' : 'resource:failed', { noun: t(resource.noun.one) })}
          message={explain(object.error)}
          requestId={requestIdOf(object.error)}
          onRetry={gone ? undefined : () => void object.refetch()}
        />
      </>
    );
  }
  const row = object.data;
  if (!row) {
    return (
      <>
        <PageHeader title={t(routes.titles.detail ?? routes.titles.list)} back={back} />
        <div className="pt-card mt-3" aria-busy="true">
          <SkeletonLines />
        </div>
      </>
    );
  }
  const fields = metadata.data?.actions.GET ?? {};
  const basic = <BasicTab definition={definition} row={row} fields={fields} tools={tools} />;
  return (
    <>
      <PageHeader
        title={definition.title?.(row) ?? resource.nameOf(row)}
        // Without a title of its own, an object may be called “name (user name)”.
        lead={definition.title ? resource.nameOf(row) : textOf(valueOf(row, 'name'))}
        back={back}
        aside={definition.status?.(row)}
        actions={
          <>
            {definition.actions?.(row)}
            {mayWrite && (
              <HeadingActions resource={resource} row={row} onDeleted={() => tools.navigate(back.to)} />
            )}
          </>
        }
      />
      <div className="mt-2">
        {tabs.length === 0 ? (
          basic
        ) : (
          <Tabs
            label={resource.nameOf(row)}
            selected={tab}
            onSelect={setTab}
            tabs={[
              { id: BASIC, label: t('resource:tab.basic'), content: basic },
              ...tabs.map((entry) => ({
                id: entry.id,
                label: t(entry.label),
                count: entry.count?.(row),
                content: entry.content(row, tools),
              })),
            ]}
          />
        )}
      </div>
    </>
  );
}
