import { ArrowRightLeft, Ellipsis, FolderPlus, Trash2, X } from 'lucide-react';
import { useT } from '#/lib/i18n';
import { Button, IconButton } from '#/ui/button';
import { TextInput } from '#/ui/field';
import { MenuButton, type MenuEntry } from '#/ui/menu';
import { DownloadButton } from './DownloadButton';
import { isFile, isPicture } from './file-paths';
import { folderAcross, moveAcross, openEntry, type PaneDialog, removeChosen } from './pane-commands';
import type { PaneModel } from './pane-model';
import type { LocalItem } from './transfers/queue';
import { UploadButton } from './UploadButton';
import { otherSide, useWorkspace } from './workspace';

interface ToolsProps {
  readonly pane: PaneModel;
  readonly onDialog: (dialog: PaneDialog) => void;
  readonly onItems: (items: readonly LocalItem[]) => void;
}

const ROW = 'flex min-h-10 flex-none flex-wrap items-center gap-1 border-b border-line px-2 py-1';

/** What can be done in the folder, or with the selection, which takes its place. */
export function PaneTools(props: ToolsProps) {
  return props.pane.chosen.length > 0 ? <SelectionBar {...props} /> : <FolderBar {...props} />;
}

function FolderBar({ pane, onDialog, onItems }: ToolsProps) {
  const t = useT();
  return (
    <div className={ROW}>
      <TextInput
        type="search"
        aria-label={t('files:filter')}
        placeholder={t('files:filter')}
        value={pane.filter}
        className="pt-field-quiet min-w-0"
        // Has a line of its own where the buttons do not fit beside it.
        style={{ flex: '1 1 180px', width: 'auto' }}
        onChange={(event) => pane.setFilter(event.target.value)}
      />
      <Button
        icon={FolderPlus}
        size="sm"
        disabledReason={pane.noUpload}
        onClick={() => onDialog({ kind: 'folder' })}
      >
        {t('files:new_folder')}
      </Button>
      <UploadButton disabledReason={pane.noUpload} onItems={onItems} />
    </div>
  );
}

/** Entries of the menu of the selection. */
function useEntries({ pane, onDialog }: Omit<ToolsProps, 'onItems'>): readonly MenuEntry[] {
  const t = useT();
  const { chosen, noUpload, noDownload } = pane;
  const [first] = chosen;
  const entry = chosen.length === 1 ? first : undefined;
  const reads = entry !== undefined && isFile(entry) && !isPicture(entry);
  return [
    ...(entry ? [{ id: 'open', label: t('files:open'), run: () => openEntry(pane, entry, onDialog) }] : []),
    ...(entry && reads
      ? [
          {
            id: 'text',
            label: t('files:text.open'),
            disabledReason: noDownload,
            run: () => onDialog({ kind: 'text', entry }),
          },
        ]
      : []),
    ...(entry
      ? [
          {
            id: 'rename',
            label: t('files:rename.rename'),
            detail: 'F2',
            disabledReason: noUpload,
            run: () => onDialog({ kind: 'rename', entry }),
          },
        ]
      : []),
    {
      id: 'mode',
      label: t('files:mode.open'),
      disabledReason: noUpload,
      run: () => onDialog({ kind: 'mode', entries: chosen }),
    },
    ...(entry
      ? [
          {
            id: 'properties',
            label: t('files:properties.open'),
            run: () => onDialog({ kind: 'properties', entry }),
          },
        ]
      : []),
  ];
}

function SelectionBar({ pane, onDialog }: ToolsProps) {
  const t = useT();
  const entries = useEntries({ pane, onDialog });
  // The other pane decides where a selection can be moved to.
  useWorkspace((state) => state.panes[otherSide(pane.side)]);
  const across = folderAcross(pane);
  return (
    <div className={`${ROW} bg-accent-soft`}>
      <span className="px-1 tabular-nums" role="status">
        {t('files:selected', { count: pane.chosen.length })}
      </span>
      <DownloadButton pane={pane} />
      {across !== undefined && (
        <Button
          icon={ArrowRightLeft}
          kind="text"
          size="sm"
          disabledReason={pane.noUpload}
          onClick={() => void moveAcross(pane)}
        >
          {t('files:move.move')}
        </Button>
      )}
      <MenuButton label={t('files:more')} kind="text" size="sm" align="start" entries={entries}>
        <Ellipsis aria-hidden />
        {t('files:more')}
      </MenuButton>
      <span className="grow" />
      <Button
        icon={Trash2}
        kind="danger-text"
        size="sm"
        disabledReason={pane.noUpload}
        onClick={() => void removeChosen(pane)}
      >
        {t('files:delete.delete')}
      </Button>
      <IconButton
        icon={X}
        kind="text"
        size="sm"
        label={t('files:select_nothing')}
        onClick={() => pane.setSelection({ ...pane.selection, chosen: new Set() })}
      />
    </div>
  );
}
