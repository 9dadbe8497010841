import { useQuery } from '@tanstack/react-query';
import { Copy } from 'lucide-react';
import { explain } from '#/lib/http/catalogue';
import { useT } from '#/lib/i18n';
import { useSession } from '#/lib/session';
import { type Named, scpLine, sftpLine, sshLine } from '#/lib/ssh-lines';
import { IconButton } from '#/ui/button';
import { copyText } from '#/ui/clipboard';
import { SkeletonLines } from '#/ui/skeleton';
import { visible } from '#/ui/visible-text';
import { sshAddressQuery } from './api';

/** A line of text with a button that copies the whole of it. */
export function CopyBlock({ label, text }: { readonly label: string; readonly text: string }) {
  const t = useT();
  return (
    <div className="grid gap-1">
      <span className="text-meta text-ink-3">{label}</span>
      <div className="flex items-start gap-1 rounded-2 bg-surface-2 py-1 pr-1 pl-2">
        <code className="min-w-0 grow py-0.5 font-mono text-meta whitespace-pre-wrap [overflow-wrap:anywhere]">
          {visible(text)}
        </code>
        <IconButton
          kind="text"
          size="sm"
          icon={Copy}
          label={t('ssh-lines:copy', { what: label })}
          onClick={() => void copyText(text)}
        />
      </div>
    </div>
  );
}

/** Commands with which the person's own client reaches the asset as this system user. */
export function SshLines({
  asset,
  systemUser,
  transfers,
}: {
  readonly asset: Named;
  readonly systemUser: Named;
  /** Whether the person may transfer files, in either direction. */
  readonly transfers: boolean;
}) {
  const t = useT();
  const { username } = useSession().profile;
  const address = useQuery(sshAddressQuery);
  if (address.isPending) return <SkeletonLines lines={2} />;
  if (address.isError) return <p role="alert">{explain(address.error)}</p>;
  const target = { username, asset, systemUser };
  return (
    <div className="grid gap-2">
      <CopyBlock label={t('ssh-lines:shell')} text={sshLine(target, address.data)} />
      {transfers && (
        <>
          <CopyBlock label={t('ssh-lines:sftp')} text={sftpLine(target, address.data)} />
          <CopyBlock label={t('ssh-lines:scp')} text={scpLine(target, address.data, t('ssh-lines:file'))} />
        </>
      )}
    </div>
  );
}
