import { useMutation } from '@tanstack/react-query';
import { Copy, Download, ShieldAlert, ShieldCheck, Stamp } from 'lucide-react';
import { explain } from '#/lib/http/catalogue';
import { useT } from '#/lib/i18n';
import { Button, IconButton } from '#/ui/button';
import { Card } from '#/ui/card';
import { copyText } from '#/ui/clipboard';
import { Badge } from '#/ui/status';
import { toast } from '#/ui/toast';
import { verifyReplay, type Replay } from './api';

function shortHash(hash: string): string {
  return `${hash.slice(0, 8)} … ${hash.slice(-8)}`;
}

function Hash({ label, value }: { readonly label: string; readonly value: string }) {
  const t = useT();
  return (
    <div className="grid min-h-7 grid-cols-[96px_minmax(0,1fr)] items-center gap-2">
      <dt className="text-ink-3">{label}</dt>
      <dd className="flex items-center gap-1 font-mono text-meta">
        <span title={value}>{value.length > 20 ? shortHash(value) : value}</span>
        <IconButton
          icon={Copy}
          kind="text"
          size="sm"
          label={`${t('ui:copy')} ${label}`}
          onClick={() => void copyText(value)}
        />
      </dd>
    </div>
  );
}

/** The seal of the recording, with a button that verifies it. */
export function EvidenceCard({ sessionId, replay }: { readonly sessionId: string; readonly replay: Replay }) {
  const t = useT();
  const check = useMutation({
    mutationFn: () => verifyReplay(sessionId),
    onError: (error) => toast({ tone: 'error', text: explain(error) }),
  });
  return (
    <Card
      title={
        <span className="flex items-center gap-2">
          <Stamp className="text-ok" aria-hidden />
          {t('sessions:evidence.title')}
        </span>
      }
      actions={
        <Button size="sm" busy={check.isPending} onClick={() => check.mutate()}>
          {t('sessions:evidence.verify')}
        </Button>
      }
    >
      <p role="status" className="mb-1 empty:hidden">
        {check.data &&
          (check.data.valid ? (
            <Badge tone="ok" icon={ShieldCheck}>
              {t('sessions:evidence.valid')}
            </Badge>
          ) : (
            <Badge tone="danger" icon={ShieldAlert}>
              {t('sessions:evidence.invalid', { reason: check.data.reason })}
            </Badge>
          ))}
      </p>
      <dl>
        <Hash label={t('sessions:evidence.file')} value={replay.sha256} />
        <Hash label={t('sessions:evidence.chain')} value={replay.chain} />
        <Hash label={t('sessions:evidence.key')} value={replay.key_id} />
      </dl>
      <div className="mt-2 flex flex-wrap gap-2">
        <a className="pt-button" href={replay.download_url} download>
          <Download aria-hidden />
          {t('sessions:evidence.bundle')}
        </a>
        {[2, 3].map((version) => (
          <a key={version} className="pt-button" href={`${replay.cast_url}?version=${version}`} download>
            {t('sessions:evidence.cast', { version })}
          </a>
        ))}
        <a className="pt-button" href={`${replay.text_url}?times=1`} download>
          {t('sessions:evidence.text')}
        </a>
      </div>
    </Card>
  );
}
