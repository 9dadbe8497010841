import type { ReactNode } from 'react';
import { byteText } from '#/lib/byte-text';
import { exactTime, friendlyTime } from '#/lib/time';
import { Missing } from '#/ui/status';
import { VisibleText } from '#/ui/visible-text';
import type { Entry } from '../contract';
import { modeText, octal } from '../file-paths';
import type { SortKey } from './arrange';

export interface FileColumn {
  readonly key: Exclude<SortKey, 'name'>;
  /** i18n: files:column.* */
  readonly label: string;
  /** CSS width of the column. */
  readonly width: string;
  /** Shown when the list is at least this wide, in px. */
  readonly from: number;
  readonly isNumber?: boolean;
  readonly cell: (entry: Entry) => ReactNode;
}

function When({ seconds }: { readonly seconds: number }) {
  const date = new Date(seconds * 1000);
  return <span title={exactTime(date)}>{friendlyTime(date)}</span>;
}

/** All columns but the name. */
export const COLUMNS: readonly FileColumn[] = [
  {
    key: 'size',
    label: 'files:column.size',
    width: '80px',
    from: 300,
    isNumber: true,
    cell: ({ kind, size }) =>
      kind === 'folder' || size === null || size === undefined ? <Missing /> : byteText(size),
  },
  {
    key: 'modified',
    label: 'files:column.modified',
    width: '132px',
    from: 460,
    cell: ({ modified }) =>
      modified === null || modified === undefined ? <Missing /> : <When seconds={modified} />,
  },
  {
    key: 'mode',
    label: 'files:column.mode',
    width: '100px',
    from: 560,
    cell: (entry) =>
      entry.mode === null || entry.mode === undefined ? (
        <Missing />
      ) : (
        <span className="font-mono text-meta" title={octal(entry.mode)}>
          {modeText(entry)}
        </span>
      ),
  },
  {
    key: 'owner',
    label: 'files:column.owner',
    width: '104px',
    from: 680,
    cell: ({ owner = '', group = '' }) =>
      owner === '' ? <Missing /> : <VisibleText text={group === '' ? owner : `${owner}:${group}`} />,
  },
];
