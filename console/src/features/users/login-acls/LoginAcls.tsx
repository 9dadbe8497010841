import { useMemo } from 'react';
import { useT } from '#/lib/i18n';
import { ResourceList } from '#/resource/list/ResourceList';
import { loginAcl } from './login-acl.resource';
import { TrialCard } from './TrialCard';

/** The login ACLs of a person, and whether they would get in. */
export function LoginAcls({ userId }: { readonly userId: string }) {
  const t = useT();
  const query = useMemo(() => ({ user: userId }), [userId]);
  return (
    <div className="flex flex-col gap-4">
      <p className="text-ink-2">{t('users:acl.first_decides')}</p>
      <ResourceList resource={loginAcl} query={query} createQuery={`?user=${userId}`} embedded />
      <TrialCard userId={userId} />
    </div>
  );
}
