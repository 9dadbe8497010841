import { TriangleAlert, X } from 'lucide-react';
import { useT } from '#/lib/i18n';
import { IconButton } from '#/ui/button';

/**
 * Messages of the proxy during a session: an upcoming end, revoked actions. Shown beside the terminal, so that it
 * covers nothing.
 */
export function NoticeBar({
  text,
  onPutAway,
}: {
  readonly text: string | null;
  readonly onPutAway: () => void;
}) {
  const t = useT();
  return (
    // The live region exists before its text does; otherwise screen readers would not announce the text.
    <div role="status">
      {text !== null && (
        <div className="flex items-center gap-2 border-b border-warn-line bg-warn-soft px-3 py-1">
          <TriangleAlert className="flex-none text-warn" aria-hidden />
          <p className="min-w-0 grow [overflow-wrap:anywhere]">{text}</p>
          <IconButton icon={X} kind="text" size="sm" label={t('connecting:put_away')} onClick={onPutAway} />
        </div>
      )}
    </div>
  );
}
