import { TriangleAlert, X } from 'lucide-react';
import { useT } from '#/lib/i18n';
import { IconButton } from '#/ui/button';

/** What the proxy tells while the session goes on: an end that comes, actions that are gone. Beside the terminal, where it covers nothing. */
export function NoticeBar({
  text,
  onPutAway,
}: {
  readonly text: string | null;
  readonly onPutAway: () => void;
}) {
  const t = useT();
  return (
    // There before its text comes, so that the text is read out.
    <div role="status">
      {text !== null && (
        <div className="flex items-center gap-2 border-b border-warn-line bg-warn-soft px-3 py-1">
          <TriangleAlert className="flex-none text-warn" aria-hidden />
          <p className="min-w-0 grow [overflow-wrap:anywhere]">{text}</p>
          <IconButton icon={X} kind="text" size="sm" label={t('connect:put_away')} onClick={onPutAway} />
        </div>
      )}
    </div>
  );
}
