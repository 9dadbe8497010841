import { useSearch } from '@tanstack/react-router';
import { ResourceForm } from '#/resource/form/ResourceForm';
import { adminUser, systemUser } from './system-user.resource';

/** A new system user of the protocol in the address, or a new admin user. */
export function SystemUserCreatePage() {
  const address: Record<string, string> = useSearch({ strict: false });
  return <ResourceForm resource={address['type'] === 'admin' ? adminUser : systemUser} mode="create" />;
}
