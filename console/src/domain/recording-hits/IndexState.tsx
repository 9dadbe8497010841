import { useT } from '#/lib/i18n';
import { type IndexCounts, MOST_COUNTED } from './hits';

/** How many recordings this search could not look into. */
export function IndexState({ counts: { waiting, failed, incomplete } }: { readonly counts: IndexCounts }) {
  const t = useT();
  const isMost = (count: number): boolean => count >= MOST_COUNTED;
  return (
    <>
      {waiting > 0 && (
        <span>
          {isMost(waiting)
            ? t('recording-hits:waiting_most', { most: MOST_COUNTED })
            : t('recording-hits:waiting', { count: waiting })}
        </span>
      )}
      {failed > 0 && (
        <span className="text-danger">
          {isMost(failed)
            ? t('recording-hits:failed_most', { most: MOST_COUNTED })
            : t('recording-hits:failed', { count: failed })}
        </span>
      )}
      {incomplete > 0 && (
        <span className="text-warn">
          {isMost(incomplete)
            ? t('recording-hits:incomplete_most', { most: MOST_COUNTED })
            : t('recording-hits:incomplete', { count: incomplete })}
        </span>
      )}
    </>
  );
}
