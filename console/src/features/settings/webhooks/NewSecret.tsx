import { Copy } from 'lucide-react';
import { useT } from '#/lib/i18n';
import { Button } from '#/ui/button';
import { copyText } from '#/ui/clipboard';
import { Note } from '#/ui/note';
import { visible } from '#/ui/visible-text';

/** A new secret, which the server shows only once. It is stored in the memory of the screen only. */
export function NewSecret({ name, secret }: { readonly name: string; readonly secret: string }) {
  const t = useT();
  return (
    <Note tone="ok" announce>
      <p className="font-medium">{t('settings:webhooks.secret_once', { name: visible(name) })}</p>
      <div className="mt-1 flex flex-wrap items-center gap-x-2">
        <code className="min-w-0 font-mono text-meta [overflow-wrap:anywhere]">{secret}</code>
        <Button size="sm" kind="text" icon={Copy} onClick={() => copyText(secret)}>
          {t('settings:webhooks.copy')}
        </Button>
      </div>
    </Note>
  );
}
