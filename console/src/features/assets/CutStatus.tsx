import { useT } from '#/lib/i18n';
import { Button } from '#/ui/button';
import { cutNode, useMoving } from './moving';

/** Says which node was cut, and how to go on; announced. */
export function CutStatus() {
  const t = useT();
  const cut = useMoving((state) => state.cut);
  return (
    <div role="status">
      {cut && (
        <div className="grid gap-1 border-b border-line pb-1.5 text-meta text-ink-2">
          {t('assets:move.cut', { node: cut.label })}
          <Button size="sm" kind="text" className="justify-self-start" onClick={() => cutNode(null)}>
            {t('assets:move.forget')}
          </Button>
        </div>
      )}
    </div>
  );
}
