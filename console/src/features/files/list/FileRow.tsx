import { File, FileSymlink, Folder, FolderSymlink } from 'lucide-react';
import { memo, type MouseEvent } from 'react';
import type { Icon } from '#/ui/icon';
import { visible, VisibleText } from '#/ui/visible-text';
import type { Entry } from '../contract';
import { isFolder } from '../file-paths';
import type { FileColumn } from './columns';
import type { How } from './selection';

const ICONS: Record<'folder' | 'file', Record<'itself' | 'link', Icon>> = {
  folder: { itself: Folder, link: FolderSymlink },
  file: { itself: File, link: FileSymlink },
};

export interface FileRowProps {
  readonly id: string;
  readonly entry: Entry;
  readonly at: number;
  readonly top: number;
  readonly height: number;
  readonly template: string;
  readonly columns: readonly FileColumn[];
  readonly isChosen: boolean;
  readonly isCursor: boolean;
  readonly onPick: (at: number, how: How) => void;
  readonly onOpen: (at: number) => void;
}

function RowOf(props: FileRowProps) {
  const { entry, at, columns, isChosen, isCursor, onPick, onOpen } = props;
  const IconOf = ICONS[isFolder(entry) ? 'folder' : 'file'][entry.kind === 'link' ? 'link' : 'itself'];
  const click = (event: MouseEvent): void => {
    // A finger has neither a double click nor keys: it opens, and selects with the box.
    if ((event.nativeEvent as PointerEvent).pointerType === 'touch') onOpen(at);
    else onPick(at, event.shiftKey ? 'range' : event.ctrlKey || event.metaKey ? 'toggle' : 'only');
  };
  return (
    // The grid keeps the focus and handles the keys.
    // oxlint-disable-next-line jsx-a11y/click-events-have-key-events, jsx-a11y/interactive-supports-focus
    <div
      id={props.id}
      role="row"
      aria-rowindex={at + 2}
      aria-selected={isChosen}
      className={`absolute inset-x-0 grid items-center gap-4 border-b border-line px-2 ${isChosen ? 'bg-accent-soft' : 'hover:bg-hover'} ${isCursor ? 'group-focus-visible:outline-2 group-focus-visible:outline-offset-[-2px] group-focus-visible:outline-focus' : ''}`}
      style={{ top: props.top, height: props.height, gridTemplateColumns: props.template }}
      onClick={click}
      onDoubleClick={() => onOpen(at)}
    >
      <span role="gridcell" className="flex min-w-0 items-center gap-2">
        {/* oxlint-disable-next-line jsx-a11y/click-events-have-key-events, jsx-a11y/no-static-element-interactions */}
        <span
          aria-hidden
          className="grid size-6 flex-none place-items-center"
          onDoubleClick={(event) => event.stopPropagation()}
          onClick={(event) => {
            event.stopPropagation();
            onPick(at, 'toggle');
          }}
        >
          <input
            type="checkbox"
            className="pt-check pointer-events-none"
            tabIndex={-1}
            readOnly
            checked={isChosen}
          />
        </span>
        <IconOf className="flex-none text-ink-3" aria-hidden />
        <span
          className={`min-w-0 truncate ${isFolder(entry) ? 'font-medium' : ''}`}
          title={visible(entry.name.text)}
        >
          <VisibleText text={entry.name.text} />
        </span>
      </span>
      {columns.map((column) => (
        <span
          key={column.key}
          role="gridcell"
          className={`truncate text-ink-2 ${column.isNumber ? 'text-right tabular-nums' : ''}`}
        >
          {column.cell(entry)}
        </span>
      ))}
    </div>
  );
}

/** A line of the list. Memoized, so that moving the cursor draws two rows. */
export const FileRow = memo(RowOf);
