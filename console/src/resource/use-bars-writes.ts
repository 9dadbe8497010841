import { useIsRootOrganization } from '#/lib/session';
import type { Resource, ResourceDefinition } from './define';

/** Whether objects of this resource cannot be written because the person is in the root organization. */
export function useBarsWrites<Row extends Resource>({ shared = false }: ResourceDefinition<Row>): boolean {
  return useIsRootOrganization() && !shared;
}
