import { Database, FileVideo, FolderInput, PlugZap, Star } from 'lucide-react';
import { http } from '#/lib/http/client';
import { translate } from '#/lib/i18n';
import { type ActionTools, defineResource, type ResourceDefinition } from '#/resource/define';
import { confirm } from '#/ui/confirm';
import { Chip, Missing } from '#/ui/status';
import { toast } from '#/ui/toast';
import { VisibleText } from '#/ui/visible-text';
import { type StorageKind, storageRoutes } from './addresses';
import { storageForm } from './storage-form';
import { forgetNames, offeredTypes, storageApi, type StorageRow, whyFixed, whyKept } from './storage-row';

// i18n: storages:default.effect.*
async function makeDefault(kind: StorageKind, row: StorageRow, tools: ActionTools): Promise<void> {
  const { name } = row;
  const isDone = await confirm({
    title: translate('storages:default.question', { name }),
    effect: translate(`storages:default.effect.${kind}`),
    confirmLabel: translate('storages:default.action'),
    run: () => http.patch(`${storageApi[kind]}${row.id}/`, { is_default: true }, { quiet: true }),
  });
  if (!isDone) return;
  toast({ tone: 'ok', text: translate('storages:default.done', { name }) });
  tools.refresh();
}

/** Bucket and address of a remote storage. */
function placeOf({ meta }: StorageRow): string {
  return [meta.BUCKET, meta.ENDPOINT].filter(Boolean).join(' · ');
}

function Default({ row }: { readonly row: StorageRow }) {
  return row.is_default ? <Chip>{translate('storages:default.mark')}</Chip> : null;
}

/** What the list of storages opens. */
export interface Opening {
  readonly what: 'test' | 'move';
  readonly row: StorageRow;
}

/** Storages of one kind. `open` shows the dialogs of a storage. */
export function storagesOf(
  kind: StorageKind,
  open: (opening: Opening) => void,
): ResourceDefinition<StorageRow> {
  const icon = kind === 'replay' ? FileVideo : Database;
  const createPath = storageRoutes[kind].paths.create ?? '';
  // i18n: storages:noun.*
  return defineResource<StorageRow, (typeof storageApi)[StorageKind]>({
    name: kind === 'replay' ? 'ReplayStorageTable' : 'CommandStorageTable',
    api: storageApi[kind],
    routes: storageRoutes[kind],
    icon,
    nameOf: (row) => row.name,
    noun: {
      one: `storages:noun.${kind}.one`,
      many: `storages:noun.${kind}.many`,
      what: `storages:noun.${kind}.what`,
    },
    shared: true,
    deleted: forgetNames,
    can: {
      clone: false,
      update: (row) => whyFixed(row) === undefined,
      fixed: (row) => whyFixed(row) ?? '',
      delete: (row) => whyKept(row) === undefined,
      kept: (row) => whyKept(row) ?? '',
      deleteMany: false,
    },
    list: {
      columns: [
        'name',
        'type',
        {
          key: 'meta',
          label: 'storages:place',
          sortable: false,
          cell: (row) => (placeOf(row) === '' ? <Missing /> : <VisibleText text={placeOf(row)} />),
        },
        { key: 'is_default', sortable: false, cell: (row) => <Default row={row} /> },
        'comment',
      ],
      createMenu: (fields) =>
        offeredTypes(fields).map(({ type, name }) => ({
          id: type,
          text: name,
          to: `${createPath}?type=${encodeURIComponent(type)}`,
        })),
      rowActions: [
        {
          id: 'test',
          label: 'storages:test.action',
          icon: PlugZap,
          order: 1,
          run: (row) => open({ what: 'test', row }),
        },
        {
          id: 'move',
          label: 'storages:move.action',
          icon: FolderInput,
          order: 3,
          isOffered: (row) => kind === 'replay' && row.type !== 'null',
          run: (row) => open({ what: 'move', row }),
        },
        {
          id: 'default',
          label: 'storages:default.action',
          icon: Star,
          order: 2,
          // A default that keeps nothing would lose what is to be kept.
          isOffered: (row) => !row.is_default && row.type !== 'null',
          run: (row, tools) => makeDefault(kind, row, tools),
        },
      ],
      exchange: { export: false, import: false },
      phone: {
        icon,
        meta: (row) => (
          <span className="truncate">
            <VisibleText text={[row.type_display, placeOf(row)].filter(Boolean).join(' · ')} />
          </span>
        ),
        status: (row) => <Default row={row} />,
      },
    },
    form: storageForm(kind),
  });
}

const NOTHING = () => {};

/** The definitions for forms and for prefetching, which open nothing. */
export const storage: Readonly<Record<StorageKind, ResourceDefinition<StorageRow>>> = {
  replay: storagesOf('replay', NOTHING),
  command: storagesOf('command', NOTHING),
};
