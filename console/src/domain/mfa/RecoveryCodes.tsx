import { Copy, Download } from 'lucide-react';
import { useEffect, useRef } from 'react';
import { useT } from '#/lib/i18n';
import { Button } from '#/ui/button';
import { copyText } from '#/ui/clipboard';
import { Note } from '#/ui/note';

function download(text: string): void {
  const address = URL.createObjectURL(new Blob([text], { type: 'text/plain' }));
  const link = document.createElement('a');
  link.href = address;
  link.download = 'postern-recovery-codes.txt';
  link.click();
  URL.revokeObjectURL(address);
}

/**
 * Shows the recovery codes; they cannot be shown again. `onKept` is called when the person confirms that the codes are
 * saved.
 */
export function RecoveryCodes({
  codes,
  doneLabel,
  onKept,
}: {
  readonly codes: readonly string[];
  readonly doneLabel: string;
  readonly onKept: () => void;
}) {
  const t = useT();
  const list = useRef<HTMLUListElement>(null);
  // The previous step removed the focused element. Without this, keys would go to the page below the dialog.
  useEffect(() => list.current?.focus(), []);
  const text = `${codes.join('\n')}\n`;
  return (
    <div className="grid gap-3">
      <Note tone="warn">{t('mfa:recovery.why')}</Note>
      <ul
        ref={list}
        tabIndex={-1}
        aria-label={t('mfa:recovery.title')}
        className="grid gap-x-6 gap-y-1 rounded-2 border border-line bg-surface-2 px-3 py-2 font-mono sm:grid-cols-2"
      >
        {codes.map((code) => (
          <li key={code} className="[overflow-wrap:anywhere]">
            {code}
          </li>
        ))}
      </ul>
      <div className="flex flex-wrap gap-2">
        <Button icon={Copy} onClick={() => void copyText(text)}>
          {t('mfa:recovery.copy')}
        </Button>
        <Button icon={Download} onClick={() => download(text)}>
          {t('mfa:recovery.download')}
        </Button>
        <span className="grow" />
        <Button kind="primary" onClick={onKept}>
          {doneLabel}
        </Button>
      </div>
    </div>
  );
}
