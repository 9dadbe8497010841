import { useQuery } from '@tanstack/react-query';
import { useDeferredValue, useState } from 'react';
import { explain } from '#/lib/http/catalogue';
import { useT } from '#/lib/i18n';
import { Dialog } from '#/ui/dialog';
import { TextInput } from '#/ui/field';
import { Note } from '#/ui/note';
import { SkeletonLines } from '#/ui/skeleton';
import { VisibleText } from '#/ui/visible-text';
import { exactStamp, parseTime } from '#/lib/time';
import { StateCell } from '../state';
import { historyQuery, type OwnCommand } from './api';

function Item({ row, onOpen }: { readonly row: OwnCommand; readonly onOpen: () => void }) {
  const t = useT();
  const at = parseTime(row.date_created);
  return (
    <li>
      <button
        type="button"
        className="grid w-full gap-0.5 rounded-2 px-2 py-1.5 text-left hover:bg-hover"
        onClick={onOpen}
      >
        <span className="truncate font-mono">
          <VisibleText text={row.command} />
        </span>
        <span className="flex flex-wrap gap-x-3 text-meta text-ink-3">
          <StateCell of={row} />
          <span>{t('jobs:batch.on', { count: row.hosts_amount, name: row.run_as_display })}</span>
          {at && <time dateTime={at.toISOString()}>{exactStamp(at)}</time>}
        </span>
      </button>
    </li>
  );
}

/** The person's earlier commands. */
export function HistoryDialog({
  onOpen,
  onClose,
}: {
  readonly onOpen: (row: OwnCommand) => void;
  readonly onClose: () => void;
}) {
  const t = useT();
  const [search, setSearch] = useState('');
  const { data, error } = useQuery(historyQuery(useDeferredValue(search.trim())));
  return (
    <Dialog title={t('jobs:batch.history')} isOpen onClose={onClose}>
      <div className="grid gap-2">
        <TextInput
          type="search"
          aria-label={t('jobs:batch.find_command')}
          placeholder={t('jobs:batch.find_command')}
          value={search}
          onChange={(event) => setSearch(event.target.value)}
        />
        {error && !data && <Note tone="danger">{explain(error)}</Note>}
        {!data && !error && <SkeletonLines lines={3} />}
        {data?.results.length === 0 && <p className="p-2 text-ink-3">{t('jobs:batch.no_history')}</p>}
        <ul>
          {data?.results.map((row) => (
            <Item
              key={row.id}
              row={row}
              onOpen={() => {
                onOpen(row);
                onClose();
              }}
            />
          ))}
        </ul>
      </div>
    </Dialog>
  );
}
