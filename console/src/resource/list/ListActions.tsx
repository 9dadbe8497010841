import { ChevronDown, Plus, Trash2, X } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import type { QueryValues } from '#/lib/http/query-string';
import { type Translate, translate, useT } from '#/lib/i18n';
import { Button, IconButton } from '#/ui/button';
import { confirm } from '#/ui/confirm';
import { LinkButton } from '#/ui/link';
import { MenuButton } from '#/ui/menu';
import { toast } from '#/ui/toast';
import { deleteMany, type FieldMap } from '../api';
import { BulkUpdateAction } from '../bulk/BulkUpdateAction';
import type { ActionTools, BulkTools, Resource, ResourceDefinition } from '../define';
import { useBarsWrites } from '../use-bars-writes';
import { useOnline } from '../use-online';
import { SELECT_ALL_MAX } from './select-all';

/** The one primary button of a list; with several kinds a menu. Absent in the root organization. */
export function CreateButton<Row extends Resource>({
  resource,
  query,
  allowed,
  fields,
  tools,
}: {
  readonly resource: ResourceDefinition<Row>;
  readonly query: string;
  readonly allowed: boolean;
  /** Fields of a new object, once the metadata is loaded. */
  readonly fields: FieldMap | undefined;
  readonly tools: ActionTools;
}) {
  const t = useT();
  const isRoot = useBarsWrites(resource);
  const online = useOnline();
  const { paths, titles } = resource.routes;
  if (!allowed || isRoot || paths.create === undefined || titles.create === undefined) return null;
  if (!online) {
    return (
      <Button icon={Plus} disabledReason={t('resource:offline.action')}>
        {t(titles.create)}
      </Button>
    );
  }
  if (resource.list.createMenu) {
    const entries = resource.list.createMenu(fields);
    if (entries.length === 0) {
      return (
        <Button
          icon={Plus}
          disabled
          disabledReason={fields === undefined ? undefined : t('resource:nothing_to_create')}
        >
          {t(titles.create)}
        </Button>
      );
    }
    return (
      <MenuButton
        kind="primary"
        label={t(titles.create)}
        entries={entries.map((entry) => ({
          id: entry.id,
          label: entry.text ?? t(entry.label ?? ''),
          ...(entry.group === undefined ? {} : { heading: t(entry.group) }),
          ...(entry.disabledReason === undefined ? {} : { disabledReason: t(entry.disabledReason) }),
          run: () => tools.navigate(entry.to),
        }))}
      >
        <Plus aria-hidden />
        {t(titles.create)}
        <ChevronDown aria-hidden />
      </MenuButton>
    );
  }
  return (
    <LinkButton to={paths.create + query} kind="primary" icon={Plus}>
      {t(titles.create)}
    </LinkButton>
  );
}

/** Names of the selected rows, as far as they have been displayed. */
function namesOf(chosen: ReadonlyMap<string, string>): readonly string[] {
  return [...chosen.values()].filter((name) => name !== '');
}

/** Asks with count and names, deletes all selected rows in one request, and shows the result. */
async function deleteChosen<Row extends Resource>(
  resource: ResourceDefinition<Row>,
  chosen: ReadonlyMap<string, string>,
): Promise<boolean> {
  const count = chosen.size;
  return confirm({
    title: translate('resource:bulk_delete.question', {
      count,
      noun: translate(count === 1 ? resource.noun.one : resource.noun.many),
    }),
    effect: translate('resource:delete.effect'),
    extra: resource.deleteEffect?.([...chosen.keys()]),
    names: namesOf(chosen),
    total: count,
    confirmLabel: translate('resource:bulk_delete.confirm', { count }),
    danger: true,
    failed: (reason) => translate('resource:bulk_delete.failed', { reason }),
    run: async () => {
      await deleteMany(resource.api, [...chosen.keys()]);
      toast({ tone: 'ok', text: translate('resource:bulk_delete.done', { count }) });
    },
  });
}

function tooMany(t: Translate, count: number): string | undefined {
  return count > SELECT_ALL_MAX ? t('resource:too_many', { count: SELECT_ALL_MAX }) : undefined;
}

/** Actions for the selected rows. Replaces the toolbar. */
export function ActionBar<Row extends Resource>({
  resource,
  api,
  chosen,
  onChosen,
  onClear,
  rowTotal,
  onSelectAll,
  allowed,
  tools,
  query,
  exchange,
}: {
  readonly resource: ResourceDefinition<Row>;
  readonly api: string;
  /** Id → name; the name is empty for rows that were selected without being displayed. */
  readonly chosen: ReadonlyMap<string, string>;
  readonly onChosen: (chosen: ReadonlyMap<string, string>) => void;
  readonly onClear: () => void;
  /** Number of rows that match the conditions. */
  readonly rowTotal: { readonly total: number; readonly isMinimum?: boolean } | undefined;
  /** Selects all matching rows, including those of other pages. */
  readonly onSelectAll: () => Promise<void>;
  readonly allowed: boolean;
  readonly tools: ActionTools;
  readonly query: QueryValues;
  /** Import and export, which also apply to the selected rows. */
  readonly exchange: ReactNode;
}) {
  const t = useT();
  const offline = useOnline() ? undefined : t('resource:offline.action');
  const [busy, setBusy] = useState(false);
  if (chosen.size === 0) return null;
  const { total: count = 0, isMinimum = false } = rowTotal ?? {};
  const bulkTools: BulkTools = { ...tools, query, names: namesOf(chosen), clear: onClear };
  return (
    <section
      aria-label={t('resource:selection')}
      className="-my-px flex min-h-7 items-center gap-1 rounded-2 border border-accent-line bg-accent-soft-2 px-3"
    >
      <span className="mr-2 flex-none font-semibold" role="status">
        {t('resource:selected', { count: chosen.size })}
      </span>
      {(isMinimum ? chosen.size <= count : count > chosen.size) && (
        <Button
          kind="link"
          className="underline underline-offset-3"
          busy={busy}
          disabledReason={offline ?? tooMany(t, count)}
          onClick={() => {
            setBusy(true);
            void onSelectAll().finally(() => setBusy(false));
          }}
        >
          {t(isMinimum ? 'resource:select_all_minimum' : 'resource:select_all', { count })}
        </Button>
      )}
      <span aria-hidden className="mx-1.5 h-4 w-px flex-none bg-accent-line" />
      {/* Overflow scrolls: a second line would move the table. */}
      <div className="flex min-w-0 grow gap-1 overflow-x-auto [scrollbar-width:none] *:flex-none *:outline-offset-[-2px]! max-lg:*:px-1.5!">
        {(resource.list.bulkActions ?? [])
          .filter((action) => action.isOffered?.(bulkTools) ?? true)
          .map((action) => (
            <Button
              key={action.id}
              kind={action.danger ? 'danger-text' : 'text'}
              icon={action.icon}
              disabledReason={offline}
              onClick={() => void action.run([...chosen.keys()], bulkTools)}
            >
              {t(action.label)}
            </Button>
          ))}
        {allowed && (
          <BulkUpdateAction resource={resource} api={api} chosen={chosen} onChosen={onChosen} tools={tools} />
        )}
      </div>
      {exchange}
      {allowed && resource.can?.deleteMany !== false && (resource.can?.mayDelete?.() ?? true) && (
        <Button
          kind="danger-text"
          icon={Trash2}
          disabledReason={offline}
          onClick={() =>
            void deleteChosen(resource, chosen).then((gone) => {
              if (gone) {
                onClear();
                tools.refresh();
              }
            })
          }
        >
          {t('resource:action.delete')}
        </Button>
      )}
      <span aria-hidden className="mx-1 h-4 w-px flex-none bg-accent-line" />
      <IconButton kind="text" size="sm" icon={X} label={t('resource:clear_selection')} onClick={onClear} />
    </section>
  );
}
