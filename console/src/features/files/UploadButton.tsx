import { Upload } from 'lucide-react';
import { type ChangeEvent, type RefObject, useRef } from 'react';
import { useT } from '#/lib/i18n';
import { Button } from '#/ui/button';
import { MenuButton } from '#/ui/menu';
import { chosenItems } from './transfers/local-items';
import type { LocalItem } from './transfers/queue';

/** Opens the browser's dialog for files, or for a folder with all that is in it. */
export function UploadButton({
  disabledReason,
  onItems,
}: {
  readonly disabledReason: string | undefined;
  readonly onItems: (items: readonly LocalItem[]) => void;
}) {
  const t = useT();
  const files = useRef<HTMLInputElement>(null);
  const folder = useRef<HTMLInputElement>(null);
  const taken = ({ target }: ChangeEvent<HTMLInputElement>): void => {
    onItems(chosenItems(target.files ?? []));
    // The same file may be chosen again.
    target.value = '';
  };
  const input = (ref: RefObject<HTMLInputElement | null>, label: string, isFolder: boolean) => (
    <input
      ref={ref}
      type="file"
      multiple
      hidden
      aria-label={label}
      onChange={taken}
      {...(isFolder && { webkitdirectory: '' })}
    />
  );
  return (
    <>
      {input(files, t('files:upload.files'), false)}
      {input(folder, t('files:upload.folder'), true)}
      {disabledReason === undefined ? (
        <MenuButton
          label={t('files:upload.upload')}
          size="sm"
          entries={[
            { id: 'files', label: t('files:upload.files'), run: () => files.current?.click() },
            { id: 'folder', label: t('files:upload.folder'), run: () => folder.current?.click() },
          ]}
        >
          <Upload aria-hidden />
          {t('files:upload.upload')}
        </MenuButton>
      ) : (
        <Button size="sm" icon={Upload} disabledReason={disabledReason}>
          {t('files:upload.upload')}
        </Button>
      )}
    </>
  );
}
