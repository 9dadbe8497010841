import { useQueryClient } from '@tanstack/react-query';
import { FileDown } from 'lucide-react';
import { useEffect, useMemo } from 'react';
import { type Transfer, TransferOutcome } from '#/domain/transfers/TransferOutcome';
import { mayAskUnbidden } from '#/lib/http/asking';
import { useT } from '#/lib/i18n';
import { defineResource } from '#/resource/define';
import { MonoCell, TimeCell } from '#/resource/format';
import { ResourceList } from '#/resource/list/ResourceList';
import { Missing } from '#/ui/status';
import type { SessionRow } from './api';
import { byteText } from '#/lib/byte-text';

const API = 'audits/ftp-logs/';
const LIVE_EVERY_MS = 3_000;
/** Kinds of sessions that only transfer files. */
const FILE_KINDS = new Set(['sftp', 'scp', 'rsync']);

export function isFileSession({ kind }: SessionRow): boolean {
  return FILE_KINDS.has(kind);
}

interface FileRow extends Transfer {
  readonly id: string;
  readonly filename: string;
  readonly operate_display: string;
  readonly date_start: string;
  readonly size: number | null;
  readonly sha256: string;
}

const files = defineResource<FileRow, 'audits/ftp-logs/'>({
  name: 'SessionFileTable',
  api: API,
  routes: { names: { list: 'FtpLog' }, paths: { list: '/audits/ftp-log' }, titles: { list: 'nav:ftp_log' } },
  icon: FileDown,
  nameOf: (row) => row.filename,
  noun: { one: 'sessions:files.one', many: 'sessions:files.many', what: 'sessions:files.none' },
  can: { create: false, deleteMany: false },
  list: {
    columns: [
      { key: 'date_start', sortable: true, cell: (row) => <TimeCell value={row.date_start} exact /> },
      'operate',
      { key: 'filename', cell: (row) => <MonoCell value={row.filename} /> },
      {
        key: 'size',
        align: 'right',
        cell: (row) => (row.size ? byteText(row.size) : <Missing />),
      },
      { key: 'is_success', cell: (row) => <TransferOutcome row={row} /> },
      { key: 'sha256', cell: (row) => <MonoCell value={row.sha256} /> },
    ],
    shown: ['date_start', 'operate', 'filename', 'size', 'is_success'],
    order: '-date_start',
    phone: {
      icon: FileDown,
      meta: (row) => <TimeCell value={row.date_start} exact />,
      note: (row) => row.operate_display,
      status: (row) => <TransferOutcome row={row} />,
    },
  },
});

/** File operations of the session: the rows of the file log, filtered by this session. */
export function SessionFiles({ session }: { readonly session: SessionRow }) {
  const t = useT();
  const client = useQueryClient();
  const isLive = !session.is_finished;
  const query = useMemo(() => ({ session: session.id }), [session.id]);
  useEffect(() => {
    if (!isLive) return undefined;
    const timer = setInterval(() => {
      if (document.visibilityState === 'visible' && mayAskUnbidden())
        void client.invalidateQueries({ queryKey: ['list', API] });
    }, LIVE_EVERY_MS);
    return () => clearInterval(timer);
  }, [client, isLive]);
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-2">
      {isLive && <p className="text-ink-2">{t('sessions:files.live')}</p>}
      <ResourceList resource={files} query={query} embedded />
    </div>
  );
}
