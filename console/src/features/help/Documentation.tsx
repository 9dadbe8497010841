import { useT } from '#/lib/i18n';
import { useSession } from '#/lib/session';
import { Card, Definitions } from '#/ui/card';

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
  const login = `${profile.username}=<${t('help:ssh.account')}>=<${t('help:ssh.asset')}>@${location.hostname}`;
  // i18n: help:keys.*
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-3">
      <Card title={t('help:ssh.title')}>
        <p>{t('help:ssh.how')}</p>
        <pre className="mt-2 overflow-x-auto rounded-2 bg-surface-2 px-3 py-2 font-mono text-meta">
          {`ssh -p 2222 ${login}\nsftp -P 2222 ${login}`}
        </pre>
        <p className="mt-2 text-ink-2">{t('help:ssh.port')}</p>
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
