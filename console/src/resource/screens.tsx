import type { ComponentType } from 'react';
import type { Resource, ResourceDefinition } from './define';
import type { ScreenLoaders } from './routes';
import { prepareList } from './list/prepare-list';
import { ResourceList } from './list/ResourceList';

/**
 * The four screens of a resource for its route records. Form and detail are loaded on demand, so that a list does not
 * wait for them. A feature may replace the list by its own, together with the function that prefetches it.
 */
export function resourceScreens<Row extends Resource>(
  resource: ResourceDefinition<Row>,
): Required<ScreenLoaders> {
  const form = async (mode: 'create' | 'update'): Promise<ComponentType> => {
    const { ResourceForm } = await import('./form/ResourceForm');
    return () => <ResourceForm resource={resource} mode={mode} />;
  };
  return {
    list: () => Promise.resolve(() => <ResourceList resource={resource} />),
    prepare: (address) => prepareList(resource, address),
    create: () => form('create'),
    update: () => form('update'),
    detail: async () => {
      const { ResourceDetail } = await import('./detail/ResourceDetail');
      return () => <ResourceDetail resource={resource} />;
    },
  };
}
