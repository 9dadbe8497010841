import type { ResourceRoutes } from '#/resource/routes';

/** What a storage keeps: recordings, or commands. */
export type StorageKind = 'replay' | 'command';

/** The tab of the storages that shows those of commands. */
export const COMMAND_TAB = 'command';

const LIST = '/terminal/storages';

/** Both kinds are listed on one screen; the forms are their own. */
export const storageRoutes: Readonly<Record<StorageKind, ResourceRoutes>> = {
  replay: {
    names: { list: 'Storage', create: 'CreateReplayStorage', update: 'ReplayStorageUpdate' },
    paths: {
      list: LIST,
      create: '/terminal/replay-storage/create',
      update: '/terminal/replay-storage/$id/update',
    },
    titles: {
      list: 'nav:storage_list',
      create: 'nav:replay_storage_create',
      update: 'nav:replay_storage_update',
    },
  },
  command: {
    names: { list: 'Storage', create: 'CreateCommandStorage', update: 'CommandStorageUpdate' },
    paths: {
      list: `${LIST}?activeTab=${COMMAND_TAB}`,
      create: '/terminal/command-storage/create',
      update: '/terminal/command-storage/$id/update',
    },
    titles: {
      list: 'nav:storage_list',
      create: 'nav:command_storage_create',
      update: 'nav:command_storage_update',
    },
  },
};
