import { useState } from 'react';
import { useT } from '#/lib/i18n';
import { exactStamp, exactTime, parseTime } from '#/lib/time';
import { Button } from '#/ui/button';
import type { AccessKey } from './api';

export function KeyRow({
  made: key,
  onToggle,
  onDelete,
}: {
  readonly made: AccessKey;
  readonly onToggle: () => Promise<void>;
  readonly onDelete: () => void;
}) {
  const t = useT();
  const [busy, setBusy] = useState(false);
  const date = parseTime(key.date_created);
  const short = key.id.slice(0, 8);
  return (
    <tr className="border-b border-line">
      <td className="px-2 py-1 font-mono text-meta">{key.id}</td>
      <td className="px-2 py-1 font-mono text-meta text-ink-3">{key.secret}</td>
      <td className="px-2 py-1 whitespace-nowrap">
        <span
          aria-hidden
          className={`mr-1.5 inline-block size-2 rounded-full ${key.is_active ? 'bg-ok-dot' : 'border border-control'}`}
        />
        {t(key.is_active ? 'access-keys:active' : 'access-keys:inactive')}
      </td>
      <td className="px-2 py-1 whitespace-nowrap tabular-nums">
        {date && (
          <time dateTime={date.toISOString()} title={exactTime(date)}>
            {exactStamp(date)}
          </time>
        )}
      </td>
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
