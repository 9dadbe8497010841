import { Pause, Play, RotateCw, X } from 'lucide-react';
import { byteText } from '#/lib/byte-text';
import { useT } from '#/lib/i18n';
import { friendlyDuration } from '#/lib/time';
import { CopyCell } from '#/resource/format';
import { Button, IconButton } from '#/ui/button';
import { Status, type StatusTone } from '#/ui/status';
import { visible, VisibleText } from '#/ui/visible-text';
import type { UploadQueue } from './queue';
import { displayName, type Transfer, type TransferState } from './transfer';

const TONE: Record<TransferState, StatusTone> = {
  waiting: 'unknown',
  running: 'ok',
  asking: 'warn',
  paused: 'warn',
  failed: 'danger',
  done: 'ok',
  skipped: 'unknown',
};

function percent({ sent, file, state }: Transfer): number {
  if (state === 'done') return 100;
  return file.size === 0 ? 0 : Math.floor((sent / file.size) * 100);
}

/** i18n: files:transfer.state.* */
function useFacts(transfer: Transfer): string {
  const t = useT();
  const { state, sent, file, speed, error, isCutOff } = transfer;
  if (state === 'failed') return error ?? t('files:transfer.session_over');
  const left = speed > 0 ? friendlyDuration((file.size - sent) / speed) : '';
  return [
    t(`files:transfer.state.${state}`),
    state === 'done' ? byteText(file.size) : `${byteText(sent)} / ${byteText(file.size)}`,
    state === 'running' && speed > 0 ? `${byteText(speed)}/s` : '',
    state === 'running' && left !== '' ? t('files:transfer.left', { time: left }) : '',
    isCutOff ? t('files:transfer.session_over') : '',
  ]
    .filter((fact) => fact !== '')
    .join(' · ');
}

function Bar({ transfer, name }: { readonly transfer: Transfer; readonly name: string }) {
  const value = percent(transfer);
  return (
    <div
      role="progressbar"
      aria-label={name}
      aria-valuemin={0}
      aria-valuemax={100}
      aria-valuenow={value}
      className="flex h-2 overflow-hidden rounded-1 bg-surface-3"
    >
      <span
        className={transfer.state === 'failed' ? 'bg-danger-dot' : 'bg-ok-dot'}
        style={{ width: `${value}%` }}
      />
    </div>
  );
}

function Conflict({ transfer, queue }: { readonly transfer: Transfer; readonly queue: UploadQueue }) {
  const t = useT();
  const name = visible(displayName(transfer));
  const choices = [
    ['replace', t('files:conflict.replace')],
    ['keep_both', t('files:conflict.keep_both')],
    ['skip', t('files:conflict.skip')],
  ] as const;
  return (
    <span className="flex flex-wrap gap-1">
      {choices.map(([choice, label]) => (
        <Button
          key={choice}
          size="sm"
          aria-label={`${label}: ${name}`}
          onClick={() => queue.answer(transfer.id, choice, false)}
        >
          {label}
        </Button>
      ))}
    </span>
  );
}

/** A file on its way: how far it is, and what can be done about it. */
export function TransferRow({
  transfer,
  queue,
}: {
  readonly transfer: Transfer;
  readonly queue: UploadQueue;
}) {
  const t = useT();
  const facts = useFacts(transfer);
  const { id, state, host, sha256 } = transfer;
  const name = visible(displayName(transfer));
  const isGoing = state === 'waiting' || state === 'running';
  return (
    <li className="grid gap-1 border-b border-line px-3 py-2">
      <div className="flex flex-wrap items-center gap-x-4 gap-y-1">
        <span className="min-w-0 grow truncate" title={name}>
          <VisibleText text={displayName(transfer)} />
          <span className="text-ink-3"> → {visible(host)}</span>
        </span>
        {state === 'asking' && <Conflict transfer={transfer} queue={queue} />}
        <span className="flex flex-none gap-1">
          {isGoing && (
            <IconButton
              icon={Pause}
              kind="text"
              size="sm"
              label={t('files:transfer.pause', { name })}
              onClick={() => queue.pause(id)}
            />
          )}
          {state === 'paused' && (
            <IconButton
              icon={Play}
              kind="text"
              size="sm"
              label={t('files:transfer.resume', { name })}
              onClick={() => queue.resume(id)}
            />
          )}
          {state === 'failed' && (
            <IconButton
              icon={RotateCw}
              kind="text"
              size="sm"
              label={t('files:transfer.retry', { name })}
              onClick={() => queue.resume(id)}
            />
          )}
          <IconButton
            icon={X}
            kind="text"
            size="sm"
            label={t(
              state === 'done' || state === 'skipped' ? 'files:transfer.clear' : 'files:transfer.cancel',
              { name },
            )}
            onClick={() => queue.cancel(id)}
          />
        </span>
      </div>
      {state !== 'skipped' && <Bar transfer={transfer} name={name} />}
      <div className="flex flex-wrap items-center gap-x-4 text-meta text-ink-2 tabular-nums">
        <Status tone={TONE[state]}>
          <span style={{ whiteSpace: 'normal' }}>{facts}</span>
        </Status>
        {sha256 !== '' && <CopyCell value={sha256} />}
      </div>
    </li>
  );
}
