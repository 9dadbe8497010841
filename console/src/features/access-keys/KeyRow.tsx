import { useState } from 'react';
import { useT } from '#/lib/i18n';
import { exactStamp, exactTime, parseTime } from '#/lib/time';
import { Button } from '#/ui/button';
import type { AccessKey } from './api';

/** Key of the text that names the state. */
function stateOf(key: AccessKey): string {
  if (key.has_ended) return 'access-keys:ended';
  return key.is_active ? 'access-keys:active' : 'access-keys:inactive';
}

function MomentCell({ value }: { readonly value: string | null }) {
  const date = parseTime(value);
  return (
    <td className="px-2 py-1 whitespace-nowrap tabular-nums">
      {date ? (
        <time dateTime={date.toISOString()} title={exactTime(date)}>
          {exactStamp(date)}
        </time>
      ) : (
        '-'
      )}
    </td>
  );
}

/** A key with its comment, state and times. */
export function KeyRow({
  made: key,
  onToggle,
  onEdit,
  onDelete,
}: {
  readonly made: AccessKey;
  readonly onToggle: () => Promise<void>;
  readonly onEdit: () => void;
  readonly onDelete: () => void;
}) {
  const t = useT();
  const [busy, setBusy] = useState(false);
  const works = key.is_active && !key.has_ended;
  const short = key.id.slice(0, 8);
  return (
    <tr className="border-b border-line">
      <td className="px-2 py-1 text-meta">
        {key.comment !== '' && <p className="[overflow-wrap:anywhere]">{key.comment}</p>}
        <p className="font-mono">{key.id}</p>
      </td>
      <td className="px-2 py-1 font-mono text-meta text-ink-3">{key.secret}</td>
      <td className="px-2 py-1 whitespace-nowrap">
        <span
          aria-hidden
          className={`mr-1.5 inline-block size-2 rounded-full ${works ? 'bg-ok-dot' : 'border border-control'}`}
        />
        {t(stateOf(key))}
      </td>
      <MomentCell value={key.date_expired} />
      <MomentCell value={key.date_last_used} />
      <MomentCell value={key.date_created} />
      <td className="px-2 py-1 whitespace-nowrap">
        <span className="flex gap-1">
          <Button
            size="sm"
            busy={busy}
            aria-label={t(key.is_active ? 'access-keys:off_of' : 'access-keys:on_of', { id: short })}
            onClick={async () => {
              setBusy(true);
              await onToggle();
              setBusy(false);
            }}
          >
            {t(key.is_active ? 'access-keys:off' : 'access-keys:on')}
          </Button>
          <Button size="sm" aria-label={t('access-keys:edit_of', { id: short })} onClick={onEdit}>
            {t('access-keys:edit')}
          </Button>
          <Button
            size="sm"
            kind="danger"
            aria-label={t('access-keys:delete_of', { id: short })}
            onClick={onDelete}
          >
            {t('access-keys:delete')}
          </Button>
        </span>
      </td>
    </tr>
  );
}
