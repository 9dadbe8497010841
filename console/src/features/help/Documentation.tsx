import { useQuery } from '@tanstack/react-query';
import { useT } from '#/lib/i18n';
import { paths } from '#/lib/paths';
import { useMay, useSession } from '#/lib/session';
import { sshAddressQuery } from '#/domain/ssh-lines/api';
import { Card, Definitions } from '#/ui/card';
import { AppLink } from '#/ui/link';

const KEYS = [
  ['palette', 'Ctrl K / ⌘ K'],
  ['menus', '↑ ↓ Home End'],
  ['views', '← → Delete'],
  ['close', 'Esc'],
] as const;

/** What one wants to know at the desk: how to get to a host, the keys, and where the rest is written. */
export function Documentation() {
  const t = useT();
  const { profile } = useSession();
  const mayAdminister = useMay('admin');
  const address = useQuery(sshAddressQuery).data;
  const { host, port } = address ?? { host: location.hostname, port: 2222 };
  const [account, asset] = [t('help:ssh.account'), t('help:ssh.asset')];
  const login = `${profile.username}=<${account}>=<${asset}>@${host}`;
  // i18n: help:keys.*
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-3">
      <Card title={t('help:ssh.title')}>
        <p>{t('help:ssh.how')}</p>
        <pre className="mt-2 overflow-x-auto rounded-2 bg-surface-2 px-3 py-2 font-mono text-meta">
          {`ssh -p ${port} ${login}\nsftp -P ${port} ${login}`}
        </pre>
        <p className="mt-2 text-ink-2">{t('help:ssh.ready')}</p>
        <h3 className="mt-4 mb-1 text-ink-3">{t('help:ssh.config')}</h3>
        <pre className="overflow-x-auto rounded-2 bg-surface-2 px-3 py-2 font-mono text-meta">
          {`Host shop-1\n    User ${profile.username}=<${account}>=shop-1\nHost shop-2\n    User ${profile.username}=<${account}>=shop-2\nHost shop-*\n    HostName ${host}\n    Port ${port}`}
        </pre>
        <h3 className="mt-4 mb-1 text-ink-3">{t('help:ssh.ansible')}</h3>
        <pre className="overflow-x-auto rounded-2 bg-surface-2 px-3 py-2 font-mono text-meta">
          {`[shops]\nshop-1\nshop-2\n\n[shops:vars]\nansible_host=${host}\nansible_port=${port}\nansible_user=${profile.username}=<${account}>={{ inventory_hostname }}\nansible_remote_tmp=$HOME/.ansible/tmp`}
        </pre>
      </Card>
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
            <a className="pt-link" href="/api/docs/" target="_blank" rel="noreferrer">
              {t('help:more.api')}
            </a>
          </li>
          <li>{t('help:more.guide')}</li>
        </ul>
      </Card>
    </div>
  );
}
