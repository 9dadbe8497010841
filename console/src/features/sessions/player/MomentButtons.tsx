import { useT } from '#/lib/i18n';
import { Button } from '#/ui/button';
import { visible } from '#/ui/visible-text';
import { MomentMark } from './MomentMark';
import { type Moment, MOMENT_KINDS, nextMoment } from './moments';

/** The legend of the marks; each entry jumps to the next moment of its kind. i18n: sessions:moment.* */
export function MomentButtons({
  moments,
  positionMs,
  onSeek,
}: {
  readonly moments: readonly Moment[];
  readonly positionMs: number;
  readonly onSeek: (ms: number) => void;
}) {
  const t = useT();
  const kinds = MOMENT_KINDS.map((kind) => ({ kind, own: moments.filter((moment) => moment.kind === kind) }));
  return (
    <div role="group" aria-label={t('sessions:moment.title')} className="flex flex-wrap gap-1">
      {kinds.map(({ kind, own }) => {
        const next = nextMoment(own, positionMs);
        if (!next) return null;
        const name = t(`sessions:moment.${kind}`, { count: own.length });
        return (
          <Button
            key={kind}
            kind="text"
            size="sm"
            title={t('sessions:moment.next', { name: visible(next.label) })}
            onClick={() => onSeek(next.ms)}
          >
            <MomentMark kind={kind} />
            {name}
          </Button>
        );
      })}
    </div>
  );
}
