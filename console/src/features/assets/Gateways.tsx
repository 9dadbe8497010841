import { useMemo } from 'react';
import { ResourceList } from '#/resource/list/ResourceList';
import { gateway } from './gateway.resource';

/** The gateways of a domain. */
export function Gateways({ domainId }: { readonly domainId: string }) {
  const query = useMemo(() => ({ domain: domainId }), [domainId]);
  return <ResourceList resource={gateway} query={query} createQuery={`?domain=${domainId}`} embedded />;
}
