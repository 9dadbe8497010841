import { prepareList } from '#/resource/list/prepare-list';
import { ResourceList } from '#/resource/list/ResourceList';
import type { ScreenLoaders } from '#/resource/routes';
import { resourceScreens } from '#/resource/screens';
import type { ApplicationCategory } from '#/domain/application-kinds/kinds';
import { application } from './application.resource';

function pages(category: ApplicationCategory): ScreenLoaders {
  const resource = application[category];
  const query = { category };
  return {
    ...resourceScreens(resource),
    list: () => Promise.resolve(() => <ResourceList resource={resource} query={query} />),
    prepare: (address) => prepareList(resource, address, query),
  };
}

export const applicationPages: Readonly<Record<ApplicationCategory, ScreenLoaders>> = {
  remote_app: pages('remote_app'),
  db: pages('db'),
  cloud: pages('cloud'),
};
