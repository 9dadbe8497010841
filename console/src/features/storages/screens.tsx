import type { ScreenLoaders } from '#/resource/routes';
import { prepareList } from '#/resource/list/prepare-list';
import { resourceScreens } from '#/resource/screens';
import { COMMAND_TAB, type StorageKind } from './addresses';
import { storage } from './storage.resource';
import { StorageListPage } from './StorageListPage';

function pages(kind: StorageKind): ScreenLoaders {
  return {
    update: resourceScreens(storage[kind]).update,
    create: async () => {
      const { StorageCreatePage } = await import('./StorageCreatePage');
      return () => <StorageCreatePage kind={kind} />;
    },
  };
}

export const storagePages: Readonly<Record<StorageKind, ScreenLoaders>> = {
  replay: {
    ...pages('replay'),
    list: () => Promise.resolve(StorageListPage),
    prepare: (address) =>
      prepareList(storage[address['activeTab'] === COMMAND_TAB ? 'command' : 'replay'], address),
  },
  command: pages('command'),
};
