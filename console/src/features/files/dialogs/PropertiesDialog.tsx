import { byteText } from '#/lib/byte-text';
import { useT } from '#/lib/i18n';
import { exactTime } from '#/lib/time';
import { CopyCell } from '#/resource/format';
import { Button } from '#/ui/button';
import { Definitions } from '#/ui/card';
import { Dialog } from '#/ui/dialog';
import { Missing } from '#/ui/status';
import { VisibleText } from '#/ui/visible-text';
import type { Entry } from '../contract';
import { modeText, octal } from '../file-paths';
import { nameOf } from '../pane-commands';
import type { PaneModel } from '../pane-model';
import { useTransfers } from '../transfers/store';

/** i18n: files:kind.* */
function kindKey({ kind, leads_to: target }: Entry): string {
  if (kind !== 'link') return `files:kind.${kind}`;
  return target ? `files:kind.link_to_${target}` : 'files:kind.link_to_nothing';
}

/** All that the host states about an entry, and the hash of its upload from this page. */
export function PropertiesDialog({
  pane,
  entry,
  onClose,
}: {
  readonly pane: PaneModel;
  readonly entry: Entry;
  readonly onClose: () => void;
}) {
  const t = useT();
  const sha256 = useTransfers(
    ({ transfers }) =>
      transfers.findLast(
        (transfer) =>
          transfer.state === 'done' &&
          transfer.sessionId === pane.session.id &&
          transfer.folder === pane.path &&
          transfer.folders.length === 0 &&
          transfer.file.name === entry.name.text,
      )?.sha256,
  );
  const { size, modified, mode, owner = '', group = '' } = entry;
  const text = (value: string) => (value === '' ? <Missing /> : <VisibleText text={value} />);
  const items = [
    { label: t('files:column.name'), value: <VisibleText text={entry.name.text} /> },
    { label: t('files:properties.kind'), value: t(kindKey(entry)) },
    {
      label: t('files:column.size'),
      value:
        size === null || size === undefined
          ? text('')
          : `${byteText(size)} (${t('files:properties.bytes', { count: size })})`,
    },
    {
      label: t('files:column.modified'),
      value: modified === null || modified === undefined ? text('') : exactTime(new Date(modified * 1000)),
    },
    {
      label: t('files:column.mode'),
      value:
        mode === null || mode === undefined ? (
          text('')
        ) : (
          <span className="font-mono text-meta">{`${modeText(entry)} (${octal(mode)})`}</span>
        ),
    },
    { label: t('files:properties.owner'), value: text(owner) },
    { label: t('files:properties.group'), value: text(group) },
    ...(sha256 ? [{ label: 'SHA-256', value: <CopyCell value={sha256} /> }] : []),
  ];
  return (
    <Dialog
      isOpen
      title={nameOf(entry)}
      onClose={onClose}
      footer={<Button onClick={onClose}>{t('ui:close')}</Button>}
    >
      <div className="grid grid-cols-1 [&_dl]:grid-cols-1">
        <Definitions items={items} />
      </div>
    </Dialog>
  );
}
