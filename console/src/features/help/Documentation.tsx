import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense } from 'react';
import { explain } from '#/lib/http/catalogue';
import { useT } from '#/lib/i18n';
import { paths } from '#/lib/paths';
import { useMay, useSession } from '#/lib/session';
import { sshAddressQuery } from '#/domain/ssh-lines/api';
import { CopyBlock } from '#/domain/ssh-lines/SshLines';
import type { SshAddress } from '#/lib/ssh-lines';
import { Card, Definitions } from '#/ui/card';
import { AppLink } from '#/ui/link';
import { SkeletonLines } from '#/ui/skeleton';
import { FailedState } from '#/ui/states';

/** Guides, loaded together with the renderer of their Markdown. */
const Guides = lazy(async () => ({ default: (await import('./Guides')).Guides }));

const KEYS = [
  ['palette', 'Ctrl K / ⌘ K'],
  ['menus', '↑ ↓ Home End'],
  ['views', '← → Delete'],
  ['close', 'Esc'],
] as const;

/** scp and sftp end the host name at the first colon, so an IPv6 address needs brackets. */
const bracketed = (host: string): string => (host.includes(':') ? `[${host}]` : host);

/** Commands with placeholders for account and asset. The page of each asset has the commands for that asset. */
function Lines({ address }: { readonly address: SshAddress }) {
  const t = useT();
  const { username } = useSession().profile;
  const { host, port } = address;
  const account = `<${t('help:ssh.account')}>`;
  const asset = `<${t('help:ssh.asset')}>`;
  const login = `${username}=${account}=${asset}`;
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-3">
      <div className="grid grid-cols-[minmax(0,1fr)] gap-2 sm:grid-cols-2">
        <CopyBlock label={t('help:ssh.host')} text={host} />
        <CopyBlock label={t('help:ssh.port')} text={String(port)} />
      </div>
      <CopyBlock label={t('help:ssh.menu')} text={`ssh -p ${port} ${username}@${host}`} />
      <CopyBlock label="ssh" text={`ssh -p ${port} '${login}@${host}'`} />
      <CopyBlock label="sftp" text={`sftp -P ${port} '${login}@${bracketed(host)}'`} />
      <p className="text-ink-2">{t('help:ssh.ready')}</p>
      <CopyBlock
        label={t('help:ssh.config')}
        text={`Host shop-1\n    User ${username}=${account}=shop-1\nHost shop-2\n    User ${username}=${account}=shop-2\nHost shop-*\n    HostName ${host}\n    Port ${port}`}
      />
      <CopyBlock
        label={t('help:ssh.ansible')}
        text={`[shops]\nshop-1\nshop-2\n\n[shops:vars]\nansible_host=${host}\nansible_port=${port}\nansible_user=${username}=${account}={{ inventory_hostname }}\nansible_remote_tmp=$HOME/.ansible/tmp`}
      />
    </div>
  );
}

function Reach() {
  const t = useT();
  const address = useQuery(sshAddressQuery);
  return (
    <Card title={t('help:ssh.title')}>
      <p className="mb-3">{t('help:ssh.how')}</p>
      {address.isPending && <SkeletonLines lines={6} />}
      {address.isError && (
        <FailedState
          title={t('ssh-lines:failed')}
          message={explain(address.error)}
          onRetry={() => void address.refetch()}
        />
      )}
      {address.data && <Lines address={address.data} />}
    </Card>
  );
}

/** How to reach a host, the keyboard shortcuts, and the guides. */
export function Documentation() {
  const t = useT();
  const mayAdminister = useMay('admin');
  // i18n: help:keys.*
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-3">
      <Reach />
      <Suspense fallback={<SkeletonLines lines={6} />}>
        <Guides />
      </Suspense>
      <Card title={t('help:keys.title')} flush>
        <Definitions
          items={KEYS.map(([id, keys]) => ({
            label: t(`help:keys.${id}`),
            value: <kbd className="font-mono text-meta">{keys}</kbd>,
          }))}
        />
      </Card>
      <Card title={t('help:more.title')}>
        <ul className="grid gap-1">
          {mayAdminister && (
            <li>
              <AppLink to={paths.start('?show=1')}>{t('help:more.start')}</AppLink>
            </li>
          )}
          <li>
            <a className="pt-link underline" href="/api/docs/" target="_blank" rel="noreferrer">
              {t('help:more.api')}
            </a>
          </li>
        </ul>
      </Card>
    </div>
  );
}
