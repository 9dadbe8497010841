import { EyeOff } from 'lucide-react';
import { useState } from 'react';
import { freshMfa } from '#/domain/mfa/fresh-mfa';
import { explain } from '#/lib/http/catalogue';
import { http } from '#/lib/http/client';
import { useT } from '#/lib/i18n';
import { useMay } from '#/lib/session';
import { Button } from '#/ui/button';
import { toast } from '#/ui/toast';
import { visible } from '#/ui/visible-text';
import type { CommandRow } from './command-row';

type Whole = Pick<CommandRow, 'input' | 'output'>;

/** The command with its secrets; null when the person cancels the check of the second factor. */
async function load(id: string): Promise<Whole | null> {
  const fetch = () => http.get<Whole>(`terminal/commands/${id}/whole/`, { quiet: true });
  try {
    return await fetch();
  } catch (error) {
    if (!freshMfa.isMissing(error)) throw error;
    return (await freshMfa.ask()) ? fetch() : null;
  }
}

/** Says that secrets of a command are hidden. Administrators can show them, which is audited. */
export function HiddenSecrets({ command }: { readonly command: CommandRow }) {
  const t = useT();
  const mayShow = useMay('admin');
  const [whole, setWhole] = useState<Whole | null>(null);
  if (!command.has_secrets) return null;
  if (whole) {
    return (
      <pre className="mt-1 max-h-60 overflow-auto rounded-2 bg-term-bg p-2 font-mono text-meta whitespace-pre text-term-fg">
        {visible([whole.input, whole.output].filter((text) => text !== '').join('\n'))}
      </pre>
    );
  }
  const show = (): void => {
    load(command.id).then(setWhole, (error: unknown) => toast({ tone: 'error', text: explain(error) }));
  };
  return (
    <p className="mt-1 flex flex-wrap items-center gap-2 text-meta text-ink-3">
      <span className="inline-flex items-center gap-1">
        <EyeOff aria-hidden className="size-3.5 flex-none" />
        {t('commands:secrets_hidden')}
      </span>
      {mayShow && (
        <Button size="sm" onClick={show}>
          {t('commands:secrets_show')}
        </Button>
      )}
    </p>
  );
}
