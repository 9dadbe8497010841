import { KeyRound, SquareTerminal, UserPlus } from 'lucide-react';
import type { ReactNode } from 'react';
import { useT } from '#/lib/i18n';
import { LinkButton } from '#/ui/link';

function Buttons({ children }: { readonly children: ReactNode }) {
  return <div className="flex flex-wrap gap-2">{children}</div>;
}

export function PersonStep() {
  const t = useT();
  return (
    <Buttons>
      <LinkButton to="/users/users/create" kind="primary" icon={UserPlus}>
        {t('start:person.create')}
      </LinkButton>
      <LinkButton to="/users/users" kind="text">
        {t('start:person.invite')}
      </LinkButton>
    </Buttons>
  );
}

export function PermissionStep() {
  const t = useT();
  return (
    <Buttons>
      <LinkButton to="/perms/asset-permissions/create" kind="primary" icon={KeyRound}>
        {t('start:permission.create')}
      </LinkButton>
    </Buttons>
  );
}

export function ConnectStep() {
  const t = useT();
  return (
    <Buttons>
      <LinkButton to="/connect" kind="primary" icon={SquareTerminal} newTab>
        {t('start:connect.open')}
      </LinkButton>
    </Buttons>
  );
}
