import { useT } from '#/lib/i18n';

/** How many recordings this search could not look into. */
export function IndexState({ waiting, failed }: { readonly waiting: number; readonly failed: number }) {
  const t = useT();
  return (
    <>
      {waiting > 0 && <span>{t('recording-hits:waiting', { count: waiting })}</span>}
      {failed > 0 && <span className="text-danger">{t('recording-hits:failed', { count: failed })}</span>}
    </>
  );
}
