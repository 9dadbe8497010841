import { useQuery } from '@tanstack/react-query';
import { Copy } from 'lucide-react';
import { useT } from '#/lib/i18n';
import { useSession } from '#/lib/session';
import { type Named, shortSshLine } from '#/lib/ssh-lines';
import { IconButton } from '#/ui/button';
import { copyText } from '#/ui/clipboard';
import { Missing } from '#/ui/status';
import { visible } from '#/ui/visible-text';
import { sshAddressQuery } from './api';

/** The command that reaches the asset with the person's own client, with a copy button. All rows share one request. */
export function SshLineCell({ asset }: { readonly asset: Named }) {
  const t = useT();
  const { username } = useSession().profile;
  const address = useQuery(sshAddressQuery).data;
  if (!address) return <Missing />;
  const line = shortSshLine({ username, asset }, address);
  return (
    <span className="-my-0.5 inline-flex max-w-full items-center gap-1">
      <code className="min-w-0 truncate font-mono text-meta max-sm:whitespace-normal" title={visible(line)}>
        {visible(line)}
      </code>
      <IconButton
        kind="text"
        size="sm"
        icon={Copy}
        label={t('ui:copy_line', { asset: visible(asset.name) })}
        onClick={() => void copyText(line)}
      />
    </span>
  );
}
