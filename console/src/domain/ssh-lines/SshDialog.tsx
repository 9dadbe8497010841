import { useQuery } from '@tanstack/react-query';
import { KeyRound } from 'lucide-react';
import { useState } from 'react';
import { AdminPageLink } from '#/domain/admin-page/AdminPageLink';
import { mayGrant } from '#/domain/admin-page/may-grant';
import { explain, requestIdOf } from '#/lib/http/catalogue';
import { useT } from '#/lib/i18n';
import { paths } from '#/lib/paths';
import { useSession } from '#/lib/session';
import { ansibleLine, type Named, sshConfig } from '#/lib/ssh-lines';
import { Button } from '#/ui/button';
import { RadioGroup } from '#/ui/choice';
import { Dialog } from '#/ui/dialog';
import { AppLink } from '#/ui/link';
import { SkeletonLines } from '#/ui/skeleton';
import { FailedState } from '#/ui/states';
import { visible } from '#/ui/visible-text';
import { mayTransfer, sshAddressQuery, usableQuery, type UsableSystemUser } from './api';
import { SshCode } from './SshCode';
import { CopyBlock, SshLines } from './SshLines';

function Files({ asset, systemUser }: { readonly asset: Named; readonly systemUser: Named }) {
  const t = useT();
  const { username } = useSession().profile;
  const address = useQuery(sshAddressQuery);
  if (!address.data) return null;
  const target = { username, asset, systemUser };
  return (
    <details>
      <summary className="min-h-6 text-ink-2">{t('ssh-lines:files')}</summary>
      <div className="mt-2 grid gap-2">
        <CopyBlock label={t('ssh-lines:ssh_config')} text={sshConfig(target, address.data)} />
        <CopyBlock label={t('ssh-lines:ansible')} text={ansibleLine(target, address.data)} />
        <p className="text-meta text-ink-3">
          {t('ssh-lines:after')} <AppLink to={paths.help('docs')}>{t('ssh-lines:more')}</AppLink>
        </p>
      </div>
    </details>
  );
}

/** Nothing to connect with: whom to ask, or for an administrator the form that helps. */
function NoAccount({ asset }: { readonly asset: Named }) {
  const t = useT();
  const session = useSession();
  const name = visible(asset.name);
  if (!mayGrant(session)) return <p>{t('ssh-lines:none', { asset: name })}</p>;
  const filled = new URLSearchParams({ asset: asset.id, user: session.profile.id });
  return (
    <div className="grid justify-items-start gap-3">
      <p>{t('ssh-lines:none_yet', { asset: name })}</p>
      <AdminPageLink to={paths.createAssetPermission(`?${filled.toString()}`)} icon={KeyRound}>
        {t('ssh-lines:grant')}
      </AdminPageLink>
    </div>
  );
}

function Lines({ asset, usable }: { readonly asset: Named; readonly usable: readonly UsableSystemUser[] }) {
  const t = useT();
  const [chosen, setChosen] = useState(usable[0]?.id);
  const systemUser = usable.find((option) => option.id === chosen);
  if (!systemUser) return <NoAccount asset={asset} />;
  return (
    <div className="grid gap-3">
      {usable.length > 1 && (
        <div role="radiogroup" aria-label={t('ssh-lines:as')} className="flex flex-wrap gap-x-4">
          <RadioGroup
            name="ssh-lines-system-user"
            value={systemUser.id}
            onChange={setChosen}
            options={usable.map((option) => ({
              value: option.id,
              label: visible(
                option.username && option.username !== option.name
                  ? `${option.name} (${option.username})`
                  : option.name,
              ),
            }))}
          />
        </div>
      )}
      <SshLines asset={asset} systemUser={systemUser} transfers={mayTransfer(systemUser)} />
      <details>
        <summary className="min-h-6 text-ink-2">{t('ssh-lines:code.title')}</summary>
        <div className="mt-2">
          <SshCode />
        </div>
      </details>
      <Files asset={asset} systemUser={systemUser} />
    </div>
  );
}

/** How to reach the asset with the person's own SSH client. */
export default function SshDialog({
  asset,
  onClose,
}: {
  readonly asset: Named;
  readonly onClose: () => void;
}) {
  const t = useT();
  const usable = useQuery(usableQuery(asset.id));
  return (
    <Dialog
      isOpen
      size="text"
      title={t('ssh-lines:title', { asset: visible(asset.name) })}
      onClose={onClose}
      footer={<Button onClick={onClose}>{t('ui:close')}</Button>}
    >
      {usable.isPending && (
        <div aria-busy="true">
          <SkeletonLines lines={3} />
        </div>
      )}
      {usable.isError && (
        <FailedState
          title={t('ssh-lines:failed')}
          message={explain(usable.error)}
          requestId={requestIdOf(usable.error)}
          onRetry={() => void usable.refetch()}
        />
      )}
      {usable.data && <Lines asset={asset} usable={usable.data} />}
    </Dialog>
  );
}
