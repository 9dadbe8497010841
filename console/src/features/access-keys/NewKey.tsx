import { Copy } from 'lucide-react';
import { useT } from '#/lib/i18n';
import { Button } from '#/ui/button';
import { copyText } from '#/ui/clipboard';
import { Note } from '#/ui/note';
import type { AccessKey } from './api';

/** Shows a new secret. The server returns it only once; it is stored in this component's memory only. */
export function NewKey({ made }: { readonly made: AccessKey }) {
  const t = useT();
  const values = [
    { label: t('access-keys:column.id'), value: made.id, copy: t('access-keys:copy_id') },
    { label: t('access-keys:column.secret'), value: made.secret, copy: t('access-keys:copy_secret') },
  ];
  return (
    <div className="mb-3">
      <Note tone="ok" announce>
        <p className="font-medium">{t('access-keys:once')}</p>
        <dl className="mt-1 grid gap-1">
          {values.map(({ label, value, copy }) => (
            <div key={label} className="flex flex-wrap items-center gap-x-2">
              <dt className="w-14 text-ink-2">{label}</dt>
              <dd className="min-w-0 font-mono text-meta [overflow-wrap:anywhere]">{value}</dd>
              <dd>
                <Button size="sm" kind="text" icon={Copy} onClick={() => copyText(value)}>
                  {copy}
                </Button>
              </dd>
            </div>
          ))}
        </dl>
      </Note>
    </div>
  );
}
